// Package signalbox calls the Signalbox API for the other examples. It needs the standard library only.
package signalbox

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// NewKey makes an idempotency key.
func NewKey() string {
	key := make([]byte, 16)
	rand.Read(key)
	return fmt.Sprintf("%x", key)
}

// Call makes a call and reads its answer. It tries up to five times if that may help: the key makes all tries one send.
func Call(method, path string, body, answer any, key string) error {
	for attempt := 1; ; attempt++ {
		wait, err := tryOnce(method, path, body, answer, key)
		if err == nil || wait == 0 || attempt == 5 {
			return err
		}
		fmt.Fprintf(os.Stderr, "%v (trying again in %v)\n", err, wait)
		time.Sleep(wait)
	}
}

func tryOnce(method, path string, body, answer any, key string) (retryAfter time.Duration, err error) {
	content, _ := json.Marshal(body)
	request, err := http.NewRequest(method, strings.TrimRight(os.Getenv("SIGNALBOX_URL"), "/")+path, bytes.NewReader(content))
	if err != nil {
		return 0, err
	}
	request.Header = http.Header{"Apikey": {os.Getenv("SIGNALBOX_API_KEY")}, "Content-Type": {"application/json"}}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := (&http.Client{Timeout: 30 * time.Second}).Do(request)
	if err != nil {
		return time.Second, fmt.Errorf("no answer: %w", err) // the key makes the repeat harmless
	}
	defer response.Body.Close()
	if response.StatusCode < 300 {
		return 0, json.NewDecoder(response.Body).Decode(answer)
	}
	isRetryable, err := readFailure(response)
	if !isRetryable {
		return 0, err
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	return time.Duration(seconds+1) * time.Second, err
}
