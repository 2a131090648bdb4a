import { type Gateway, changeGateway, deleteGateway, pauseGateway, resumeGateway } from '@signalbox/client';
import { IconPencil } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useMay } from '../../app/use-session.ts';
import { DeleteButton } from '../../parts/delete-button.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { SwitchButton } from '../../parts/switch-button.tsx';
import { TestButton } from './test-button.tsx';
import { WORDS } from './words.ts';

/** Everything that can be done to a gateway. */
export function GatewayActions({ gateway }: { gateway: Gateway }): ReactNode {
  if (!useMay('ops')) return null;
  const { name, enabled } = gateway;
  return (
    <>
      {enabled && <TestButton gateway={gateway} />}
      {enabled && <PauseButton gateway={gateway} />}
      <EnableButton gateway={gateway} />
      <DeleteButton
        area="gateways"
        onDelete={() => deleteGateway({ path: { name } })}
        done={WORDS.removed}
        question={WORDS.removeQuestion}
        consequence={WORDS.removeText}
      >
        {WORDS.remove}
      </DeleteButton>
      <LinkButton leftSection={<IconPencil size={16} />} to="/gateways/$name/edit" params={{ name }}>
        {WORDS.edit}
      </LinkButton>
    </>
  );
}

function PauseButton({ gateway: { name, paused } }: { gateway: Gateway }): ReactNode {
  const changes = ['gateways'];
  const pause = useAct(() => pauseGateway({ path: { name } }), { changes, done: WORDS.paused });
  const resume = useAct(() => resumeGateway({ path: { name } }), { changes, done: WORDS.resumed });
  return (
    <SwitchButton
      isOn={!paused}
      verbs={{ on: WORDS.resume, off: WORDS.pause }}
      question={WORDS.pauseQuestion}
      consequence={WORDS.pauseText}
      onTurnOn={() => resume.mutateAsync()}
      onTurnOff={() => pause.mutateAsync()}
    />
  );
}

function EnableButton({ gateway: { name, enabled } }: { gateway: Gateway }): ReactNode {
  const change = useAct((body: { enabled: boolean }) => changeGateway({ path: { name }, body }), {
    changes: ['gateways'],
    done: enabled ? WORDS.disabledDone : WORDS.enabledDone,
  });
  return (
    <SwitchButton
      isOn={enabled}
      verbs={{ on: WORDS.enable, off: WORDS.disable }}
      question={WORDS.disableQuestion}
      consequence={WORDS.disableText}
      onTurnOn={() => change.mutateAsync({ enabled: true })}
      onTurnOff={() => change.mutateAsync({ enabled: false })}
    />
  );
}
