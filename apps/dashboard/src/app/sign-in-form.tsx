import { PasswordInput, Stack, TextInput } from '@mantine/core';
import { createSession } from '@signalbox/client';
import { type ReactNode, useState } from 'react';
import { Form } from '../parts/form.tsx';
import { onText } from '../parts/on-text.ts';
import { SubmitButton } from '../parts/submit-button.tsx';
import { CodeInput } from './code-input.tsx';
import { SignInProblem } from './sign-in-problem.tsx';
import { useSignIn } from './use-sign-in.ts';

interface SignInFormProps {
  /** E-mail address of the only user who may sign in here. */
  email?: string;
  onSignedIn: () => unknown;
}

/** E-mail and password, and the code of the second factor once it is asked for. */
export function SignInForm({ email: fixed, onSignedIn }: SignInFormProps): ReactNode {
  const [email, setEmail] = useState(fixed ?? '');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const { signIn, asksCode, failure } = useSignIn(
    () =>
      createSession({ body: { email: email.trim(), password, ...(code.trim() && { code: code.trim() }) } }),
    onSignedIn,
  );
  return (
    <Form onSubmit={signIn}>
      <Stack>
        <SignInProblem failure={failure} />
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          autoFocus={fixed === undefined}
          readOnly={fixed !== undefined}
          value={email}
          onChange={onText(setEmail)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          data-autofocus={fixed === undefined ? undefined : true}
          value={password}
          onChange={onText(setPassword)}
        />
        {asksCode && <CodeInput value={code} onChange={setCode} />}
        <SubmitButton disabled={email.trim() === '' || password === ''}>Sign in</SubmitButton>
      </Stack>
    </Form>
  );
}
