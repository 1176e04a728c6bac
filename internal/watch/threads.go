package watch

// mostThreads bounds the threads of this process that sleep in the system and
// cannot be woken by the runtime. Who finds none polls.
const mostThreads = 64

type semaphore chan struct{}

var threads = make(semaphore, mostThreads)

func (s semaphore) take() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s semaphore) give() { <-s }
