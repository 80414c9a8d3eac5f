* Fixed columns, blanks in names, an offset, a range and a negative upper bound: X ONE = 3, Y TWO = -2, value 10.
NAME          OFFSET
ROWS
 N  TOTAL C
 E  SUM OF
 L  CAP X
COLUMNS
    X ONE     TOTAL C            2.0   SUM OF             1.0
    X ONE     CAP X              1.0
    Y TWO     TOTAL C            3.0   SUM OF             1.0
RHS
    RHS       TOTAL C         -10.D0   SUM OF             1.0
    RHS       CAP X              3.0
RANGES
    RNG       CAP X              2.0
BOUNDS
 UP BND       Y TWO             -1.0
ENDATA
