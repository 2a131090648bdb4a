import { Button, Skeleton } from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  type Gateway,
  type GatewayKind,
  changeGateway,
  getGateway,
  listGatewayKinds,
} from '@signalbox/client';
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { Page } from '../../parts/page.tsx';
import { gatewayErrorsOf, jsonErrorsOf } from './gateway-errors.ts';
import { GatewayForm } from './gateway-form.tsx';
import { type GatewayValues, changedSettings, contentOf, valuesOf } from './gateway-values.ts';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/gateways/$name/edit');

/** Changes a gateway. */
export function EditGatewayPage(): ReactNode {
  const { name } = route.useParams();
  const kinds = useAnswer(['gateways', 'kinds'], (signal) => listGatewayKinds({ signal }));
  const gateway = useAnswer(['gateways', name], (signal) => getGateway({ path: { name }, signal }));
  const kind = kinds.data?.find((each) => each.kind === gateway.data?.kind);
  const failure = gateway.error ?? kinds.error;
  return (
    <Page
      title={`${WORDS.edit} ${name}`}
      crumbs={[{ label: 'Operations' }, { label: WORDS.title, to: '/gateways' }]}
    >
      {failure && <ErrorState failure={failure} onRetry={() => void gateway.refetch()} />}
      {!failure && !(gateway.data && kind) && <Skeleton height={420} />}
      {gateway.data && kind && <EditForm key={gateway.data.id} gateway={gateway.data} kind={kind} />}
    </Page>
  );
}

function EditForm({ gateway, kind }: { gateway: Gateway; kind: GatewayKind }): ReactNode {
  const { name } = gateway;
  const navigate = useNavigate();
  const form = useForm<GatewayValues>({
    initialValues: valuesOf(gateway, kind),
    validate: (values) => jsonErrorsOf(values, kind),
  });
  const change = useAct(
    (values: GatewayValues) => {
      const { settings = {}, secrets } = contentOf(values, kind);
      const ratePerSecond = values.ratePerSecond === '' ? null : Number(values.ratePerSecond);
      const body = { settings: changedSettings(gateway.settings, settings), secrets, ratePerSecond };
      return changeGateway({ path: { name }, body });
    },
    { changes: ['gateways'], done: WORDS.saved, showsFailure: false },
  );
  const save = (values: GatewayValues) =>
    change.mutate(values, {
      onSuccess: () => void navigate({ to: '/gateways/$name', params: { name } }),
      onError: (failure) => form.setErrors(gatewayErrorsOf(failure)),
    });
  const stored = Object.keys(gateway.secrets).filter((secret) => gateway.secrets[secret] === true);
  return (
    <GatewayForm
      form={form}
      kind={kind}
      stored={new Set(stored)}
      onSave={save}
      isSaving={change.isPending}
      failure={change.error}
      verb={WORDS.save}
      cancel={
        <Button
          variant="default"
          renderRoot={(props) => <Link {...props} to="/gateways/$name" params={{ name }} />}
        >
          {WORDS.cancel}
        </Button>
      }
    />
  );
}
