import { Checkbox, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ApiKey, createApiKey } from '@signalbox/client';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type ApiFailure, fieldErrorsOf } from '../../api/failure.ts';
import { useAct } from '../../api/use-act.ts';
import { useSession } from '../../app/use-session.ts';
import { capitalized } from '../../parts/capitalized.ts';
import { DialogButton } from '../../parts/dialog-button.tsx';
import { FormFailure } from '../../parts/failure-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { whenValid } from '../../parts/when-valid.ts';
import { WORDS } from './words.ts';

/** A button that creates a key, and hands it on. */
export function CreateKey({ onKey }: { onKey: (key: string) => void }): ReactNode {
  return (
    <DialogButton label={WORDS.keys.add} leftSection={<IconPlus size={16} />}>
      {(close) => <KeyForm onKey={onKey} onDone={close} />}
    </DialogButton>
  );
}

function KeyForm({ onKey, onDone }: { onKey: (key: string) => void; onDone: () => void }): ReactNode {
  const { scopes: own } = useSession();
  const form = useForm({
    initialValues: { name: '', scopes: ['send'] as ApiKey['scopes'], test: false },
    validate: { scopes: (scopes) => (scopes.length === 0 ? 'Choose at least one scope.' : null) },
  });
  const create = useAct((body: typeof form.values, headers) => createApiKey({ body, headers }), {
    changes: ['api-keys'],
    showsFailure: false,
  });
  const showErrors = (failure: ApiFailure) => form.setErrors(fieldErrorsOf(failure));
  const save = async (body: typeof form.values) => {
    // awaited here, since the dialog may be closed meanwhile and the key is shown only once
    onKey((await create.mutateAsync(body, { onError: showErrors })).data.key);
    onDone();
  };
  return (
    <Form isChanged={form.isDirty()} onSubmit={whenValid(form, save)}>
      <Stack>
        <TextInput
          label="Name"
          description="The program that uses it"
          maxLength={100}
          required
          {...form.getInputProps('name')}
        />
        <Checkbox.Group label="Scopes" {...form.getInputProps('scopes')}>
          <Stack gap={6} mt={6}>
            {own.map((scope) => (
              <Checkbox key={scope} value={scope} label={scope} description={WORDS.scopes[scope]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Switch
          label="Test key"
          description="May ask for codes to test numbers"
          {...form.getInputProps('test', { type: 'checkbox' })}
        />
        <FormFailure failure={create.error} errors={form.errors} labelOf={capitalized} />
        <SubmitButton>{WORDS.keys.add}</SubmitButton>
      </Stack>
    </Form>
  );
}
