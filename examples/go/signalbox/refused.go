package signalbox

import "fmt"

// Refused is the `error` of a refused request.
type Refused struct {
	Code, Message, RequestID string
	Retryable                bool
	AttemptsRemaining        int
}

func (r *Refused) Error() string {
	return fmt.Sprintf("%s: %s (request %s)", r.Code, r.Message, r.RequestID)
}
