import { Stack } from '@mantine/core';
import {
  type ChatDryRun,
  type ChatMessageRequest,
  type SendResult,
  sendChatMessage,
} from '@signalbox/client';
import type { RenderedChat } from '@signalbox/domain/chat/message';
import type { ReactNode } from 'react';
import type { ClientResult } from '../../api/answer.ts';
import { useAct } from '../../api/use-act.ts';
import { useNextPage } from '../../parts/use-next-page.ts';
import { PhonePreview } from '../../parts/phone-preview.tsx';
import { ChatBubble } from '../../parts/phone/phone-message.tsx';
import { type ChatDraft, chatPreviewOf, chatProblemOf, chatRequestOf } from './chat-draft.ts';
import { SendButtons } from './send-buttons.tsx';
import { WORDS } from './words.ts';
import type { Refusal } from './use-refusal.ts';

/** The phone of the recipient, and the buttons that check and send. */
export function ChatSummary({ draft, refusal }: { draft: ChatDraft; refusal: Refusal }): ReactNode {
  const openNext = useNextPage();
  const request = () => chatRequestOf(draft);
  const check = useAct(
    () => sendChatMessage({ body: request(), query: { dryRun: 'true' } }) as ClientResult<ChatDryRun>,
    { showsFailure: false },
  );
  const send = useAct(
    (body: ChatMessageRequest, headers) => sendChatMessage({ body, headers }) as ClientResult<SendResult>,
    { changes: ['messages', 'sends'], done: WORDS.sent, showsFailure: false },
  );
  const confirm = async () => {
    const sent = await refusal.unlessRefused(send.mutateAsync(request()));
    const messageId = sent?.data[0]!.messageId;
    if (messageId !== undefined) await openNext({ to: '/messages/$messageId', params: { messageId } });
  };
  const preview = chatPreviewOf(draft);
  return (
    <Stack>
      <PhonePreview title={draft.from} subtitle="Business account">
        {preview && <ChatBubble content={preview} />}
      </PhonePreview>
      <SendButtons
        problem={chatProblemOf(draft)}
        messages={{ count: 1, recipient: draft.to.trim() }}
        sendAt={draft.sendAt}
        path="/v1/chatapp"
        draft={draft}
        body={request}
        check={{ ...check, run: () => check.mutateAsync(undefined, { onError: refusal.show }) }}
        send={send}
        onSend={confirm}
        isRefused={refusal.isShown}
        result={check.data && <ChatBubble content={check.data.data[0]!.content as RenderedChat} />}
      />
    </Stack>
  );
}
