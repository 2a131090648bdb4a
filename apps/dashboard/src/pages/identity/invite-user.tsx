import { Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type User, createUser } from '@signalbox/client';
import { INVITATION_HOURS } from '@signalbox/domain/sign-in-link';
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
import type { SignInLink } from './sign-in-link.ts';
import { WORDS } from './words.ts';

/** A button that invites a user, and hands on the sign-in link. Nothing for a user who exists. */
export function InviteUser({ onLink }: { onLink: (link: SignInLink) => void }): ReactNode {
  return (
    <DialogButton label={WORDS.users.add} leftSection={<IconPlus size={16} />}>
      {(close) => <InviteForm onLink={onLink} onDone={close} />}
    </DialogButton>
  );
}

function InviteForm(props: { onLink: (link: SignInLink) => void; onDone: () => void }): ReactNode {
  const { onLink, onDone } = props;
  const { scopes } = useSession();
  const form = useForm({ initialValues: { email: '', name: '', role: 'editor' as User['role'] } });
  const invite = useAct((body: typeof form.values, headers) => createUser({ body, headers }), {
    changes: ['users'],
    showsFailure: false,
  });
  const showErrors = (failure: ApiFailure) => form.setErrors(fieldErrorsOf(failure));
  const save = async (body: typeof form.values) => {
    // awaited here, since the dialog may be closed meanwhile and the link is shown only once
    const { linkToken: token, name } = (await invite.mutateAsync(body, { onError: showErrors })).data;
    if (token !== null) onLink({ token, name, lifetime: `${INVITATION_HOURS} hours` });
    onDone();
  };
  return (
    <Form isChanged={form.isDirty()} onSubmit={whenValid(form, save)}>
      <Stack>
        <TextInput
          label="E-mail address"
          type="email"
          maxLength={254}
          required
          {...form.getInputProps('email')}
        />
        <TextInput label="Name" maxLength={100} required {...form.getInputProps('name')} />
        <Select label="Role" data={rolesFor(scopes)} allowDeselect={false} {...form.getInputProps('role')} />
        <FormFailure failure={invite.error} errors={form.errors} labelOf={capitalized} />
        <SubmitButton>{WORDS.users.add}</SubmitButton>
      </Stack>
    </Form>
  );
}

/** Roles that a session may give. */
function rolesFor(scopes: readonly string[]): { value: string; label: string }[] {
  return Object.entries(WORDS.roles)
    .filter(([role]) => role !== 'operator' || scopes.includes('ops'))
    .map(([value, { name, may }]) => ({ value, label: `${name}: ${may}` }));
}
