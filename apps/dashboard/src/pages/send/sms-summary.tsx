import { Stack, Text } from '@mantine/core';
import { type DryRun, type SendResult, sendSms } from '@signalbox/client';
import { countParts } from '@signalbox/domain/sms/parts';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ClientResult } from '../../api/answer.ts';
import { useAct } from '../../api/use-act.ts';
import { PhonePreview } from '../../parts/phone-preview.tsx';
import { SmsBubble } from '../../parts/phone/phone-message.tsx';
import { MAX_RECIPIENTS, type Recipients } from '../../parts/recipients/recipients.ts';
import { counted } from '../../parts/counted.ts';
import { SendButtons } from './send-buttons.tsx';
import { type SmsDraft, chosenOf, previewOf, problemOf, requestOf } from './sms-draft.ts';
import { useKeyedSend } from './use-keyed-send.ts';

interface SummaryProps {
  draft: SmsDraft;
  recipients: Recipients;
}

/** The phone of the first recipient, the cost, and the buttons that check and send. */
export function SmsSummary({ draft, recipients }: SummaryProps): ReactNode {
  const navigate = useNavigate();
  const chosen = chosenOf(recipients, draft);
  const text = previewOf(draft, chosen[0]?.row ?? 0, window.location.origin);
  const { parts } = countParts(text, draft.isUnicode);
  const request = () => requestOf(draft);
  const check = useAct(
    () => sendSms({ body: request(), query: { dryRun: 'true' } }) as ClientResult<DryRun>,
    { showsFailure: false },
  );
  const send = useKeyedSend(
    (body: ReturnType<typeof requestOf>, key) =>
      sendSms({ body, headers: { 'Idempotency-Key': key } }) as ClientResult<SendResult>,
  );
  const confirm = async () => {
    const { id } = await send.mutateAsync(request());
    await navigate({ to: '/sends/$sendId', params: { sendId: id } });
  };
  const count = chosen.length;
  return (
    <Stack>
      <PhonePreview title={draft.sender || draft.template?.sender || 'Sender'} subtitle="SMS">
        {text.trim() !== '' && <SmsBubble text={text} />}
      </PhonePreview>
      <Text ta="center" size="sm" aria-live="polite">
        {`${count.toLocaleString()} × ${parts} = about ${counted(count * parts, 'credit')}`}
      </Text>
      <SendButtons
        problem={problemOf(draft, recipients, MAX_RECIPIENTS)}
        count={count}
        sendAt={draft.sendAt}
        path="/v1/sms"
        body={request}
        check={check}
        send={send}
        onSend={confirm}
        result={check.data && <CheckedTexts dryRun={check.data} />}
      />
    </Stack>
  );
}

/** The first texts of a dry run, and what all messages cost. */
function CheckedTexts({ dryRun: { data, totalCount, totalCredits } }: { dryRun: DryRun }): ReactNode {
  return (
    <Stack gap={6}>
      <Text size="sm">
        {`${counted(totalCount, 'message')}, ${counted(totalCredits, 'credit')}. The first:`}
      </Text>
      {data.slice(0, 3).map(({ recipient, text, encoding, parts }, i) => (
        <div key={`${recipient} ${i}`}>
          <Text size="xs" c="dimmed">
            {`${recipient} · ${encoding} · ${counted(parts, 'segment')}`}
          </Text>
          <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {text}
          </Text>
        </div>
      ))}
    </Stack>
  );
}
