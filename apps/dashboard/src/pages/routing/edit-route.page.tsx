import { Alert, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Route, changeRoute, deleteRoute, getRoute } from '@signalbox/client';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useMay } from '../../app/use-session.ts';
import { changedFields } from '../../parts/changed-fields.ts';
import { DeleteButton } from '../../parts/delete-button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { useNextPage } from '../../parts/use-next-page.ts';
import { routeErrorsOf } from './route-errors.ts';
import { RouteFields } from './route-form.tsx';
import { ROUTE_RULES, type RouteValues, bodyOf, valuesOf } from './route-values.ts';
import { WORDS } from './words.ts';

const routeApi = getRouteApi('/shell/routes/$routeId');

/** Shows and changes a route. */
export function EditRoutePage(): ReactNode {
  const { routeId } = routeApi.useParams();
  const mayChange = useMay('ops');
  const route = useAnswer(['routes', routeId], (signal) => getRoute({ path: { id: routeId }, signal }));
  return (
    <Page
      title={route.data?.name ?? WORDS.title}
      actions={
        route.data &&
        mayChange && (
          <DeleteButton
            area="routes"
            onDelete={() => deleteRoute({ path: { id: routeId } })}
            done={WORDS.removed}
            question={WORDS.removeQuestion}
            consequence={WORDS.removeText}
          >
            {WORDS.remove}
          </DeleteButton>
        )
      }
    >
      <Loaded answer={route} height={420}>
        {(data) => <EditForm key={data.id} route={data} />}
      </Loaded>
    </Page>
  );
}

function EditForm({ route }: { route: Route }): ReactNode {
  const form = useForm<RouteValues>({ initialValues: valuesOf(route), validate: ROUTE_RULES });
  const openNext = useNextPage();
  const change = useAct(
    (values: RouteValues) => {
      const body = changedFields(bodyOf(form.getInitialValues()), bodyOf(values));
      return changeRoute({ path: { id: route.id }, body });
    },
    { changes: ['routes'], done: WORDS.saved, showsFailure: false },
  );
  const save = async (values: RouteValues) => {
    await change.mutateAsync(values, { onError: (failure) => form.setErrors(routeErrorsOf(failure)) });
    await openNext({ to: '/routes' });
  };
  return (
    <Stack>
      {route.source === 'file' && <Alert maw={820}>{WORDS.fileNotice}</Alert>}
      <RouteFields
        form={form}
        isStored
        onSave={save}
        failure={change.error}
        verb={WORDS.save}
        cancel={{ to: '/routes' }}
      />
    </Stack>
  );
}
