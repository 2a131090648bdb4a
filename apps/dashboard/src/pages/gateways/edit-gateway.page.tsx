import { useForm } from '@mantine/form';
import {
  type Gateway,
  type GatewayKind,
  changeGateway,
  getGateway,
  listGatewayKinds,
} from '@signalbox/client';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { useNextPage } from '../../parts/use-next-page.ts';
import { gatewayErrorsOf, jsonErrorsOf } from './gateway-errors.ts';
import { GatewayForm } from './gateway-form.tsx';
import { type GatewayValues, changeOf, valuesOf } from './gateway-values.ts';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/gateways/$name/edit');

/** Changes a gateway. */
export function EditGatewayPage(): ReactNode {
  const { name } = route.useParams();
  const kinds = useAnswer(['gateways', 'kinds'], (signal) => listGatewayKinds({ signal }));
  const gateway = useAnswer(['gateways', name], (signal) => getGateway({ path: { name }, signal }));
  return (
    <Page
      title={`${WORDS.edit} ${name}`}
      parent={{ label: name, to: '/gateways/$name', params: { name } }}
      scope="ops"
    >
      <Loaded answer={kinds} height={420}>
        {(all) => (
          <Loaded answer={gateway} height={420}>
            {(data) => <EditForm key={data.id} gateway={data} kinds={all} />}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

function EditForm({ gateway, kinds }: { gateway: Gateway; kinds: readonly GatewayKind[] }): ReactNode {
  const { name } = gateway;
  const kind = kinds.find((each) => each.kind === gateway.kind)!;
  const openNext = useNextPage();
  const form = useForm<GatewayValues>({
    initialValues: valuesOf(gateway, kind),
    validate: (values) => jsonErrorsOf(values, kind),
  });
  const change = useAct(
    (values: GatewayValues) => {
      const body = changeOf(form.getInitialValues(), values, kind);
      return changeGateway({ path: { name }, body });
    },
    { changes: ['gateways'], done: WORDS.saved, showsFailure: false },
  );
  const save = async (values: GatewayValues) => {
    await change.mutateAsync(values, { onError: (failure) => form.setErrors(gatewayErrorsOf(failure)) });
    await openNext({ to: '/gateways/$name', params: { name } });
  };
  const stored = Object.keys(gateway.secrets).filter((secret) => gateway.secrets[secret] === true);
  return (
    <GatewayForm
      form={form}
      kind={kind}
      stored={new Set(stored)}
      onSave={save}
      failure={change.error}
      verb={WORDS.save}
      cancel={{ to: '/gateways/$name', params: { name } }}
    />
  );
}
