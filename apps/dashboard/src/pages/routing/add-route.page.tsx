import { useForm } from '@mantine/form';
import { createRoute } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { Page } from '../../parts/page.tsx';
import { useNextPage } from '../../parts/use-next-page.ts';
import { routeErrorsOf } from './route-errors.ts';
import { RouteFields } from './route-form.tsx';
import { NEW_ROUTE, ROUTE_RULES, type RouteValues, bodyOf } from './route-values.ts';
import { WORDS } from './words.ts';

/** Adds a route. */
export function AddRoutePage(): ReactNode {
  const form = useForm<RouteValues>({ initialValues: NEW_ROUTE, validate: ROUTE_RULES });
  const openNext = useNextPage();
  const create = useAct((values: RouteValues, headers) => createRoute({ body: bodyOf(values), headers }), {
    changes: ['routes'],
    done: WORDS.created,
    showsFailure: false,
  });
  const save = async (values: RouteValues) => {
    await create.mutateAsync(values, { onError: (failure) => form.setErrors(routeErrorsOf(failure)) });
    await openNext({ to: '/routes' });
  };
  return (
    <Page title={WORDS.add} scope="ops">
      <RouteFields
        form={form}
        isStored={false}
        onSave={save}
        failure={create.error}
        verb={WORDS.add}
        cancel={{ to: '/routes' }}
      />
    </Page>
  );
}
