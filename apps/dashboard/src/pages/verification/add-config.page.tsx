import { createVerifyConfig } from '@signalbox/client';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { Page } from '../../parts/page.tsx';
import { useNextPage } from '../../parts/use-next-page.ts';
import { ConfigForm } from './config-form.tsx';
import { type Draft, NEW_DRAFT, requestOf } from './draft.ts';
import { WORDS } from './words.ts';

/** Adds a verification configuration. */
export function AddConfigPage(): ReactNode {
  const [draft, setDraft] = useState(NEW_DRAFT);
  const openNext = useNextPage();
  const create = useAct((given: Draft, headers) => createVerifyConfig({ body: requestOf(given), headers }), {
    changes: ['verification'],
    done: WORDS.created,
    showsFailure: false,
  });
  return (
    <Page title={WORDS.addTitle} scope="manage">
      <ConfigForm
        draft={draft}
        onChange={setDraft}
        onSave={async () => {
          await create.mutateAsync(draft);
          await openNext({ to: '/verification' });
        }}
        failure={create.error}
        readOnly={false}
        isChanged={draft !== NEW_DRAFT}
      />
    </Page>
  );
}
