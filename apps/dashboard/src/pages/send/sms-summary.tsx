import { Stack, Text } from '@mantine/core';
import { type DryRun, type SendResult, type SmsRequest, sendSms } from '@signalbox/client';
import { countParts } from '@signalbox/domain/sms/parts';
import type { ReactNode } from 'react';
import type { ClientResult } from '../../api/answer.ts';
import { useAct } from '../../api/use-act.ts';
import { PhonePreview } from '../../parts/phone-preview.tsx';
import { TextBubble } from '../../parts/phone/phone-message.tsx';
import { MAX_RECIPIENTS, type Recipients } from '../../parts/recipients/recipients.ts';
import { useNextPage } from '../../parts/use-next-page.ts';
import { valueName } from '../../parts/value-name.ts';
import { counted } from '../../parts/counted.ts';
import { SendButtons } from './send-buttons.tsx';
import type { Refusal } from './use-refusal.ts';
import { WORDS } from './words.ts';
import { type SmsDraft, chosenOf, previewOf, problemOf, requestOf } from './sms-draft.ts';

interface SummaryProps {
  draft: SmsDraft;
  recipients: Recipients;
  refusal: Refusal;
}

/** The phone of the first recipient, the cost, and the buttons that check and send. */
export function SmsSummary({ draft, recipients, refusal }: SummaryProps): ReactNode {
  const openNext = useNextPage();
  const chosen = chosenOf(recipients, draft);
  const [row, origin] = [chosen[0]?.row ?? 0, window.location.origin];
  const text = previewOf(draft, row, origin);
  const { parts } = countParts(text, draft.isUnicode);
  const request = () => requestOf(draft, recipients);
  const check = useAct(
    () => sendSms({ body: request(), query: { dryRun: 'true' } }) as ClientResult<DryRun>,
    { showsFailure: false },
  );
  const send = useAct((body: SmsRequest, headers) => sendSms({ body, headers }) as ClientResult<SendResult>, {
    changes: ['messages', 'sends'],
    done: WORDS.sent,
    showsFailure: false,
  });
  const confirm = async () => {
    const sent = await refusal.unlessRefused(send.mutateAsync(request()));
    if (sent) await openNext({ to: '/sends/$sendId', params: { sendId: sent.id } });
  };
  const count = chosen.length;
  const cost = count > 0 && text.trim() !== '' ? costOf(count, parts) : undefined;
  return (
    <Stack>
      <PhonePreview title={draft.sender || draft.template?.sender || 'Sender'} subtitle="SMS">
        {text.trim() !== '' && <TextBubble text={previewOf(draft, row, origin, valueName)} />}
      </PhonePreview>
      <Text ta="center" size="sm" aria-live="polite">
        {cost}
      </Text>
      <SendButtons
        problem={problemOf(draft, recipients, MAX_RECIPIENTS)}
        messages={{ count, recipient: chosen[0]?.digits, cost: cost && `${cost}.` }}
        sendAt={draft.sendAt}
        path="/v1/sms"
        draft={draft}
        body={request}
        check={{ ...check, run: () => check.mutateAsync(undefined, { onError: refusal.show }) }}
        send={send}
        onSend={confirm}
        isRefused={refusal.isShown}
        result={check.data && <CheckedTexts dryRun={check.data} />}
      />
    </Stack>
  );
}

function costOf(count: number, parts: number): string {
  const messages = `${counted(count, 'message')} of ${counted(parts, 'segment')}`;
  return `${messages}: about ${counted(count * parts, 'credit')}`;
}

/** The first texts of a dry run, what all messages cost, and how many of them would fail. */
function CheckedTexts({ dryRun }: { dryRun: DryRun }): ReactNode {
  const { data, totalCount, totalCredits, optedOutCount } = dryRun;
  return (
    <Stack gap={6}>
      <Text size="sm">
        {`${counted(totalCount, 'message')}, ${counted(totalCredits, 'credit')}. `}
        {optedOutCount > 0 && `${counted(optedOutCount, 'recipient')} opted out and would get none. `}
        The first:
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
