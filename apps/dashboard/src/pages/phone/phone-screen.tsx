import { ActionIcon, Group, Select, TextInput } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../app/use-session.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Form, useIsSubmitting } from '../../parts/form.tsx';
import { onText } from '../../parts/on-text.ts';
import { PhonePreview } from '../../parts/phone-preview.tsx';
import { ChatBubble, TextBubble } from '../../parts/phone/phone-message.tsx';
import { Time } from '../../parts/time.tsx';
import { CHANNEL_NAMES } from '../../parts/channel-name.ts';
import { type Line, type Thread, contentOf, tapOf } from './thread.ts';
import { type Writing, useWriting } from './use-phone.ts';
import { WORDS } from './words.ts';

interface PhoneScreenProps {
  number: string;
  thread: Thread;
  threads: readonly Thread[];
  onThread: (key: string) => void;
}

/** One conversation on the phone: what arrived, what it wrote, and a field to write. */
export function PhoneScreen({ number, thread, threads, onThread }: PhoneScreenProps): ReactNode {
  const { channel, sender, lines } = thread;
  const mayWrite = useMay('send');
  const writing = useWriting(number, channel, sender);
  const answer = mayWrite ? (given: Writing) => writing.mutate(given) : undefined;
  return (
    <>
      <Select
        label={WORDS.threads}
        data={threads.map((each) => ({
          value: each.key,
          label: `${CHANNEL_NAMES[each.channel]} · ${each.sender}`,
        }))}
        value={thread.key}
        onChange={(key) => key !== null && onThread(key)}
        allowDeselect={false}
        mb="sm"
        maw={340}
        mx="auto"
      />
      <PhonePreview
        title={sender}
        subtitle={CHANNEL_NAMES[channel]}
        last={`${thread.key} ${lines.length}`}
        footer={mayWrite ? <WriteField key={thread.key} onWrite={writing.mutateAsync} /> : WORDS.readOnly}
      >
        {lines.map((line) => (
          <LineBubble key={line.id} line={line} onWrite={answer} />
        ))}
      </PhonePreview>
    </>
  );
}

function LineBubble({
  line,
  onWrite,
}: {
  line: Line;
  onWrite: ((given: Writing) => void) | undefined;
}): ReactNode {
  const note = <Time at={line.at} as="short" />;
  if (line.kind === 'written') return <TextBubble isOwn text={line.text} note={note} />;
  const { message } = line;
  if (message.channel === 'sms') return <TextBubble text={message.text} note={note} />;
  const { messageId } = message;
  return (
    <ChatBubble
      content={contentOf(message)}
      note={note}
      onTap={onWrite && ((button) => onWrite({ answer: tapOf(button), messageId }))}
      onPick={
        onWrite &&
        (({ id, title, description }) =>
          onWrite({
            answer: {
              type: 'interactive',
              interactive: {
                type: 'list_reply',
                list_reply: { id, title, ...(description && { description }) },
              },
            },
            messageId,
          }))
      }
    />
  );
}

function WriteField({ onWrite }: { onWrite: (given: Writing) => Promise<unknown> }): ReactNode {
  const [text, setText] = useState('');
  const say = (body: string) => onWrite({ answer: { type: 'text', text: { body } } });
  const submit = async () => {
    if (text.trim() === '') return;
    await say(text);
    setText((now) => (now === text ? '' : now));
  };
  return (
    <Form isChanged={text.trim() !== ''} onSubmit={submit}>
      <Group gap={6} wrap="nowrap" mb={6}>
        <TextInput
          flex={1}
          aria-label={WORDS.reply}
          placeholder={WORDS.reply}
          maxLength={4096}
          value={text}
          onChange={onText(setText)}
        />
        <SendIcon disabled={text.trim() === ''} />
      </Group>
      <Group gap={6}>
        {[WORDS.yes, WORDS.stop, WORDS.begin].map((word) => (
          <ActionButton key={word} size="compact-sm" variant="default" onAct={() => say(word)}>
            {word}
          </ActionButton>
        ))}
      </Group>
    </Form>
  );
}

function SendIcon({ disabled }: { disabled: boolean }): ReactNode {
  return (
    <ActionIcon
      type="submit"
      size="lg"
      aria-label={WORDS.send}
      disabled={disabled}
      loading={useIsSubmitting()}
    >
      <IconSend size={17} />
    </ActionIcon>
  );
}
