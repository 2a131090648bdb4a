/** Languages of the verification snippets. */
export const LANGUAGES = ['Node.js', 'Python', 'PHP', 'Go'] as const;
export type Language = (typeof LANGUAGES)[number];

const NODE = `import { createHmac, timingSafeEqual } from 'node:crypto';

/** True when a push is signed with the secret (whsec_…) and not older than five minutes. */
export function isSigned(secret, headers, payload) {
  const id = headers['webhook-id'];
  const at = headers['webhook-timestamp'];
  if (!(Math.abs(Date.now() / 1000 - Number(at)) < 300)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const digest = createHmac('sha256', key).update(\`\${id}.\${at}.\`).update(payload).digest('base64');
  const expected = Buffer.from(\`v1,\${digest}\`);
  return (headers['webhook-signature'] ?? '')
    .split(' ')
    .map((each) => Buffer.from(each))
    .some((each) => each.length === expected.length && timingSafeEqual(each, expected));
}
`;

const PYTHON = `import base64
import hashlib
import hmac
import time


def is_signed(secret: str, headers: dict, payload: bytes) -> bool:
    """True when a push is signed with the secret (whsec_...) and not older than five minutes."""
    push_id, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not at.isdigit() or abs(time.time() - int(at)) >= 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{push_id}.{at}.".encode() + payload, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(each.encode(), expected.encode()) for each in signatures)
`;

const PHP = `<?php

/** True when a push is signed with the secret (whsec_…) and not older than five minutes. */
function is_signed(string $secret, array $headers, string $payload): bool
{
    $id = $headers['webhook-id'] ?? '';
    $at = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($at) || abs(time() - (int) $at) >= 300) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$at.$payload", $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}
`;

const GO = `package push

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// IsSigned is true when a push is signed with the secret (whsec_…) and not older than five minutes.
func IsSigned(secret string, headers http.Header, payload []byte) bool {
	id, at := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() >= 5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + at + "."))
	mac.Write(payload)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, signature := range strings.Split(headers.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(signature), expected) {
			return true
		}
	}
	return false
}
`;

/** Functions that verify the signature of a push. They need no package. */
export const SNIPPETS: Readonly<Record<Language, string>> = {
  'Node.js': NODE,
  Python: PYTHON,
  PHP,
  Go: GO,
};
