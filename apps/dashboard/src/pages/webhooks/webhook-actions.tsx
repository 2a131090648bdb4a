import {
  type Webhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  rotateWebhookSecret,
} from '@signalbox/client';
import { IconPencil, IconSend } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useMay } from '../../app/use-session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DeleteButton } from '../../parts/delete-button.tsx';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { SwitchButton } from '../../parts/switch-button.tsx';
import { useLatestMessage } from './preview-panel.tsx';
import { TestPanel } from './test-panel.tsx';
import { NewSecret } from './verification.tsx';
import { valuesOf } from './webhook-values.ts';
import { WORDS } from './words.ts';

/** Everything that can be done to a configuration. */
export function WebhookActions({ webhook }: { webhook: Webhook }): ReactNode {
  if (!useMay('webhooks')) return null;
  const { id, name } = webhook;
  const hasAddress = !isListener(webhook);
  return (
    <>
      {hasAddress && <Switch webhook={webhook} />}
      <Rotate webhook={webhook} />
      <DeleteButton
        area="webhooks"
        onDelete={() => deleteWebhook({ path: { id } })}
        done={WORDS.removed}
        question={WORDS.removeQuestion}
        consequence={
          <>
            <b>{name}</b> is deleted with its pending pushes and its secret. This cannot be undone.
          </>
        }
      >
        {WORDS.remove}
      </DeleteButton>
      {hasAddress && <SendTest webhook={webhook} />}
      <LinkButton
        leftSection={<IconPencil size={16} />}
        to="/webhooks/$webhookId/edit"
        params={{ webhookId: id }}
      >
        {WORDS.edit}
      </LinkButton>
    </>
  );
}

/** Is true for what `signalbox listen` creates: its address is that of no server (RFC 2606). */
function isListener({ pulled, endPoint }: Webhook): boolean {
  return pulled && (URL.parse(endPoint)?.hostname.endsWith('.invalid') ?? false);
}

/** Tests the stored settings, as the panel of the form tests unsaved ones. */
function SendTest({ webhook }: { webhook: Webhook }): ReactNode {
  return (
    <DialogButton label={WORDS.sendTest} variant="default" leftSection={<IconSend size={16} />}>
      {() => <StoredTest webhook={webhook} />}
    </DialogButton>
  );
}

function StoredTest({ webhook }: { webhook: Webhook }): ReactNode {
  const messageId = useLatestMessage(webhook.channel);
  const [values] = useState(() => valuesOf(webhook));
  return <TestPanel values={values} messageId={messageId} webhookId={webhook.id} />;
}

function Switch({ webhook: { id, status } }: { webhook: Webhook }): ReactNode {
  const path = { id };
  const changes = ['webhooks'];
  const enable = useAct(() => enableWebhook({ path }), { changes, done: WORDS.enabled });
  const disable = useAct(() => disableWebhook({ path }), { changes, done: WORDS.disabledDone });
  return (
    <SwitchButton
      isOn={status !== 'disabled'}
      verbs={{ on: WORDS.enable, off: WORDS.disable }}
      question={WORDS.disableQuestion}
      consequence={WORDS.disableText}
      onTurnOn={() => enable.mutateAsync()}
      onTurnOff={() => disable.mutateAsync()}
    />
  );
}

function Rotate({ webhook: { id, method } }: { webhook: Webhook }): ReactNode {
  const [secret, setSecret] = useState<string>();
  const rotate = useAct((_: void, headers) => rotateWebhookSecret({ path: { id }, headers }), {
    changes: ['webhooks'],
  });
  const confirm = async () => setSecret((await rotate.mutateAsync()).data.secret);
  return (
    <>
      <ConfirmButton
        question={WORDS.rotateQuestion}
        consequence={WORDS.rotateText}
        color="signal"
        onConfirm={confirm}
        c="inherit"
      >
        {WORDS.rotate}
      </ConfirmButton>
      <SecretDialog title={WORDS.rotated} onClose={() => setSecret(undefined)}>
        {secret !== undefined && <NewSecret secret={secret} method={method} />}
      </SecretDialog>
    </>
  );
}
