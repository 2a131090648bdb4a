import { Alert, SegmentedControl, Select, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type GatewayKind, type GatewayRequest, createGateway, listGatewayKinds } from '@signalbox/client';
import type { ReactNode } from 'react';
import type { ApiFailure } from '../../api/failure.ts';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { FixedNameField } from '../../parts/fixed-name-field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { useNextPage } from '../../parts/use-next-page.ts';
import { CHANNEL_CHOICES } from '../../parts/channel-name.ts';
import { gatewayErrorsOf, jsonErrorsOf } from './gateway-errors.ts';
import type { GatewayFormState } from './gateway-form-state.ts';
import { GatewayForm } from './gateway-form.tsx';
import { type GatewayValues, NEW_GATEWAY, contentOf } from './gateway-values.ts';
import { WORDS } from './words.ts';

/** Adds a gateway of any kind. */
export function AddGatewayPage(): ReactNode {
  const kinds = useAnswer(['gateways', 'kinds'], (signal) => listGatewayKinds({ signal }));
  return (
    <Page title={WORDS.add} scope="ops">
      <Loaded answer={kinds} height={420}>
        {(data) => <AddForm kinds={data} />}
      </Loaded>
    </Page>
  );
}

function AddForm({ kinds }: { kinds: readonly GatewayKind[] }): ReactNode {
  const openNext = useNextPage();
  const kindOf = (values: GatewayValues) => kinds.find((each) => each.kind === values.kind)!;
  const form = useForm<GatewayValues>({
    initialValues: NEW_GATEWAY,
    validate: (values) => jsonErrorsOf(values, kindOf(values)),
  });
  const kind = kindOf(form.values);
  const create = useAct(
    (values: GatewayValues, headers) => createGateway({ body: requestOf(values, kind), headers }),
    {
      changes: ['gateways'],
      done: ({ data }) => (data.enabled ? WORDS.created : WORDS.createdDisabled),
      showsFailure: false,
    },
  );
  const showErrors = (failure: ApiFailure) => form.setErrors(gatewayErrorsOf(failure));
  const save = async (values: GatewayValues) => {
    const { name } = (await create.mutateAsync(values, { onError: showErrors })).data;
    await openNext({ to: '/gateways/$name', params: { name } });
  };
  const addDisabled = async () => {
    await create.mutateAsync({ ...form.values, enabled: false }, { onError: showErrors });
    await openNext({ to: '/routes/add' });
  };
  const isUndecided = form.values.enabled && create.error?.code === 'routing_undecided';
  return (
    <GatewayForm
      form={form}
      kind={kind}
      stored={new Set()}
      identity={<Identity form={form} kinds={kinds} />}
      onSave={save}
      failure={isUndecided ? null : create.error}
      wayOut={isUndecided && <Undecided onAdd={addDisabled} />}
      verb={WORDS.create}
      cancel={{ to: '/gateways' }}
    />
  );
}

/** Says why a second gateway of a channel was refused, and adds it in the state that needs no route yet. */
function Undecided({ onAdd }: { onAdd: () => Promise<unknown> }): ReactNode {
  return (
    <Alert color="yellow" title={WORDS.undecidedTitle} role="alert">
      <Text size="sm" mb="sm">
        {WORDS.undecidedText}
      </Text>
      <ActionButton variant="default" onAct={onAdd}>
        {WORDS.addDisabled}
      </ActionButton>
    </Alert>
  );
}

function requestOf(values: GatewayValues, kind: GatewayKind): GatewayRequest {
  const { name, channel, ratePerSecond, enabled } = values;
  return {
    name: name.trim(),
    channel,
    kind: kind.kind as GatewayRequest['kind'],
    ...contentOf(values, kind),
    enabled,
    ratePerSecond: ratePerSecond === '' ? null : Number(ratePerSecond),
  };
}

function Identity({ form, kinds }: { form: GatewayFormState; kinds: readonly GatewayKind[] }): ReactNode {
  const { channel } = form.values;
  const ofChannel = (wanted: string) => kinds.filter((each) => each.channels.some((one) => one === wanted));
  const choose = (kind: string, wanted: string = channel) =>
    form.setValues({ channel: wanted as typeof channel, kind, settings: {}, secrets: {} });
  return (
    <>
      <SegmentedControl
        aria-label={WORDS.channel}
        data={CHANNEL_CHOICES}
        value={channel}
        w="fit-content"
        onChange={(wanted) => choose(ofChannel(wanted)[0]?.kind ?? '', wanted)}
      />
      <Select
        label={WORDS.kind}
        data={ofChannel(channel).map(({ kind }) => ({ value: kind, label: WORDS.kinds[kind] ?? kind }))}
        value={form.values.kind}
        allowDeselect={false}
        required
        onChange={(kind) => choose(kind ?? '')}
      />
      <FixedNameField {...form.getInputProps('name')} />
    </>
  );
}
