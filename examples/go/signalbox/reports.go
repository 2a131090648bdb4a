package signalbox

import "encoding/json"

// Report is the report of an SMS, or the event of a chat-app message. Process each ID once.
type Report struct {
	ID   string
	Body map[string]any
}

// ReadReports reads the body of a call. A batch is an array, and each report in it has its own id.
func ReadReports(callID string, body []byte) []Report {
	var reports []Report
	if json.Unmarshal(body, &reports) == nil {
		return reports
	}
	single := Report{ID: callID}
	json.Unmarshal(body, &single.Body)
	return []Report{single}
}
