package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/retrydrill/drill/harness/receipt"
)

// here refuses a store whose file was deleted, or replaced, since it was opened.
// SQLite goes on with the file that has no name any more, where nobody would ever
// find what is written (https://www.sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use).
func (s *Store) here() error {
	now, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: deleted while it was open", receipt.ErrGone)
	}
	if err != nil {
		// What the system says about the path leaves the path out: see Store.name.
		return fmt.Errorf("%w: %w", receipt.ErrUnwritable, errors.Unwrap(err))
	}
	if !os.SameFile(s.file, now) {
		return fmt.Errorf("%w: replaced while it was open", receipt.ErrGone)
	}
	return nil
}
