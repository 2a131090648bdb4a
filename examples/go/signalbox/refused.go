package signalbox

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Refused is the `error` of a refused request.
type Refused struct {
	Code, Message, RequestID string
	Retryable                bool
	AttemptsRemaining        int
}

func (r *Refused) Error() string {
	return fmt.Sprintf("%s: %s (request %s)", r.Code, r.Message, r.RequestID)
}

// readFailure reads the refusal of an answer. During an outage a proxy answers without one, which may end by itself.
func readFailure(response *http.Response) (isRetryable bool, err error) {
	var failure struct{ Error Refused }
	if json.NewDecoder(response.Body).Decode(&failure) != nil {
		return true, fmt.Errorf("no answer of the API, but %s", response.Status)
	}
	return failure.Error.Retryable, &failure.Error
}
