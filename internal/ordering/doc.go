// Package ordering orders the rows and columns of sparse symmetric matrices, so that their elimination makes few new
// entries.
package ordering
