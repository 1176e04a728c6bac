package faultfs

// Once makes operation number k get err, and no other. Trying k = 1, 2, 3 … until
// FS.Count stays below k puts a fault into every place there is.
func Once(k int, err error) func(Op) error {
	return When(func(op Op) bool { return op.N == k }, err)
}

// From makes operation number k and every later one get err.
func From(k int, err error) func(Op) error {
	return When(func(op Op) bool { return op.N >= k }, err)
}

// On makes every operation with one of the verbs get err.
func On(err error, verbs ...string) func(Op) error {
	return When(func(op Op) bool {
		for _, verb := range verbs {
			if op.Verb == verb {
				return true
			}
		}
		return false
	}, err)
}

// When makes the operations that match get err.
func When(match func(Op) bool, err error) func(Op) error {
	return func(op Op) error {
		if match(op) {
			return err
		}
		return nil
	}
}

// First asks the hooks in order, and takes the first answer that is not nil.
func First(hooks ...func(Op) error) func(Op) error {
	return func(op Op) error {
		for _, hook := range hooks {
			if err := hook(op); err != nil {
				return err
			}
		}
		return nil
	}
}
