import { expect, test } from '@jest/globals';
import { openRows } from '@signalbox/test/rows';

/**
 * Columns of type smallint, and what keeps each from overflowing. Any number that a caller can grow needs an integer.
 */
const BOUNDED: Record<string, string> = {
  'bind_slot.slot': 'the largest number of binds',
  'callback.starts': 'MAX_STARTS',
  'chat_sender.messages_per_second': 'a constraint',
  'deferred_batch.starts': 'the statement, which counts to a maximum',
  'endpoint.open_level': 'one probe in at least 30 s, for the five days until the webhook is disabled',
  'gateway_message_id.segment': 'the largest number of segments, an octet',
  'gateway_message_id.segments': 'the largest number of segments, an octet',
  'inbound_segment.position': 'an octet of its header',
  'inbound_segment.reference_bits': '8 or 16',
  'inbound_segment.total': 'an octet of its header',
  'message.credits': 'MAX_SMS_PARTS',
  'message.starts': 'MAX_STARTS',
  'message.throttles': 'the statement, which counts to a maximum',
  'message_event.starts': 'MAX_STARTS',
  'message_stat_day.latency': 'the number of histogram buckets',
  'message_stat_found.latency': 'as of message_stat_day',
  'message_stat_minute.latency': 'as of message_stat_day',
  'message_stat_quarter.latency': 'as of message_stat_day',
  'push.attempts': 'MAX_REPLAYS of a schedule; a claim gives up a push with more than MAX_ATTEMPTS',
  'push.attempts_before': 'as attempts',
  'push.connect_ms': 'the timeout of a call',
  'push.dns_ms': 'the timeout of a call',
  'push.first_byte_ms': 'the timeout of a call',
  'push.replays': 'MAX_REPLAYS',
  'push.response_status': 'HTTP',
  'push.starts': 'as attempts; the claim counts to a maximum',
  'push.tls_ms': 'the timeout of a call',
  'push_attempt.attempt': 'as push.attempts',
  'push_attempt.connect_ms': 'the timeout of a call',
  'push_attempt.dns_ms': 'the timeout of a call',
  'push_attempt.first_byte_ms': 'the timeout of a call',
  'push_attempt.response_status': 'HTTP',
  'push_attempt.tls_ms': 'the timeout of a call',
  'short_link.link': 'MAX_SHORT_LINKS',
  'short_link_click.link': 'MAX_SHORT_LINKS',
  'short_link_total.link': 'MAX_SHORT_LINKS',
  'submission.credits': 'MAX_SMS_PARTS',
  'submission.credits_each': 'MAX_SMS_PARTS',
  'template.month_edits': 'the limit of edits per month',
  'template.starts': 'MAX_STARTS',
  'template_registration.starts': 'the statement, which counts to a maximum',
  'template_version.code_expiration_minutes': 'a constraint',
  'verification.attempts': 'max_attempts',
  'verification.max_attempts': 'a constraint of the configuration',
  'verification.starts': 'MAX_STARTS',
  'verification_config.code_length': 'a constraint',
  'verification_config.max_attempts': 'a constraint',
  'verification_config.max_sends_per_10_minutes': 'the rules of the request',
  'verification_config.max_sends_per_day': 'the rules of the request',
  'verification_config.resend_after_seconds': 'the rules of the request',
  'verification_config.ttl_seconds': 'a constraint',
  'verification_latency.seconds': 'the statement, which counts to a maximum',
  'verification_policy.min_conversion_percent': 'the rules of the request',
  'verification_step.step': 'the steps of a flow',
  'webhook.max_in_flight': 'a constraint',
};

test('every smallint column is bounded', async () => {
  await using rows = await openRows();

  const columns: { name: string }[] = await rows.db.query(
    `SELECT c.relname || '.' || a.attname AS name
       FROM pg_attribute a
       JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relnamespace = 'public'::regnamespace
        AND c.relkind IN ('r', 'p')
        AND NOT c.relispartition
        AND a.attnum > 0
        AND NOT a.attisdropped
        AND a.atttypid IN ('smallint'::regtype, 'smallint[]'::regtype)
        AND c.relname NOT LIKE 'bullmq%'
      ORDER BY name`,
  );

  expect(columns.map(({ name }) => name).toSorted()).toEqual(Object.keys(BOUNDED).toSorted());
});
