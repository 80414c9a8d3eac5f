package location

import (
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/internal/fields"
)

// DecodeFacilities reads the first part of OR-Library's layout of a location problem: `n m`, and for each of the n
// facilities its capacity and fixed cost. The first field is the scanner's already; capacity takes the one of facility
// j. Nothing is allocated for the sizes: they cannot ask for more memory than data follows.
func DecodeFacilities(s *fields.Scanner, capacity func(j int) (float64, error)) (in *Location, err error) {
	in = &Location{}
	if in.Facilities, err = s.Size("the number of facilities", instance.MaxDim); err != nil {
		return nil, err
	}
	s.Next()
	if in.Clients, err = s.Size("the number of clients", instance.MaxDim); err != nil {
		return nil, err
	}

	// Lists grow with what has been read, one facility at a time.
	for j := range in.Facilities {
		s.Next()
		v, err := capacity(j)
		if err != nil {
			return nil, err
		}
		f, err := s.NonNegative("the fixed cost of facility %d", j+1, 0)
		if err != nil {
			return nil, err
		}
		in.Capacity = append(in.Capacity, v)
		in.Fixed = append(in.Fixed, f)
	}
	return in, nil
}

// DecodeClients reads the rest: for each of the m clients its demand and the n costs of serving all of it.
func (in *Location) DecodeClients(s *fields.Scanner) error {
	for i := range in.Clients {
		d, err := s.NonNegative("the demand of client %d", i+1, 0)
		if err != nil {
			return err
		}
		in.Demand = append(in.Demand, d)

		// The costs are those of serving the whole client, not of a unit.
		for j := range in.Facilities {
			c, err := s.NonNegative("the cost of client %d at facility %d", i+1, j+1)
			if err != nil {
				return err
			}
			in.Cost = append(in.Cost, c)
		}
	}
	return s.End("the last cost")
}

// Capacity reads the field at which the scanner is as the capacity of facility j.
func Capacity(s *fields.Scanner, j int) (float64, error) {
	// The word that leaves a capacity open is for the caller to recognise.
	v, err := s.Number("the capacity of facility %d", j+1, 0)
	if err == nil && v < 0 {
		return 0, s.Fail("the capacity of facility %d is negative: %s", j+1, s.Quoted())
	}
	return v, err
}
