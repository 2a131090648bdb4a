import { Stack } from '@mantine/core';
import {
  type VerifyConfig,
  changeVerifyConfig,
  deleteVerifyConfig,
  getVerifyConfig,
} from '@signalbox/client';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useMay } from '../../app/use-session.ts';
import { changedFields } from '../../parts/changed-fields.ts';
import { DeleteButton } from '../../parts/delete-button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { ConfigForm } from './config-form.tsx';
import { Conversion } from './conversion.tsx';
import { draftOf, requestOf } from './draft.ts';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/verification/configs/$configId');

/** One verification configuration: its conversion and its settings. */
export function ConfigPage(): ReactNode {
  const { configId } = route.useParams();
  const mayManage = useMay('manage');
  const config = useAnswer(['verification', 'config', configId], (signal) =>
    getVerifyConfig({ path: { id: configId }, signal }),
  );
  return (
    <Page
      title={config.data?.name ?? WORDS.settings}
      actions={
        config.data &&
        mayManage && (
          <DeleteButton
            area="verification"
            onDelete={() => deleteVerifyConfig({ path: { id: configId } })}
            done={WORDS.deleted}
            color="red"
            question={WORDS.deleteQuestion}
            consequence={WORDS.deleteConsequence}
          >
            {WORDS.delete}
          </DeleteButton>
        )
      }
    >
      <Loaded answer={config} height={400}>
        {(data) => (
          <Stack>
            <Conversion configId={configId} />
            <Editor key={data.id} config={data} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Editor({ config }: { config: VerifyConfig }): ReactNode {
  const [saved, setSaved] = useState(() => draftOf(config));
  const [draft, setDraft] = useState(saved);
  const mayManage = useMay('manage');
  const change = () => {
    const body = changedFields(requestOf(saved), requestOf(draft));
    return changeVerifyConfig({ path: { id: config.id }, body });
  };
  const save = useAct(change, { changes: ['verification'], done: WORDS.saved, showsFailure: false });
  return (
    <ConfigForm
      draft={draft}
      onChange={setDraft}
      onSave={() => save.mutateAsync(undefined, { onSuccess: () => setSaved(draft) })}
      failure={save.error}
      readOnly={!mayManage}
      isChanged={draft !== saved}
    />
  );
}
