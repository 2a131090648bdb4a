import { Anchor, Group, Loader, Stack, Text } from '@mantine/core';
import { useSignInLink as openLink } from '@signalbox/client';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Form } from '../parts/form.tsx';
import { SubmitButton } from '../parts/submit-button.tsx';
import { CodeInput } from './code-input.tsx';
import { SignInProblem } from './sign-in-problem.tsx';
import { useSignIn } from './use-sign-in.ts';

interface SignInLinkProps {
  token: string;
  onSignedIn: () => unknown;
  /** Shows the form for e-mail and password. */
  onForm: () => void;
}

/** Opens a session with the token of a sign-in link, once, and asks for the code of a second factor. */
export function SignInLink({ token, onSignedIn, onForm }: SignInLinkProps): ReactNode {
  const [code, setCode] = useState('');
  const body = { token, ...(code.trim() && { code: code.trim() }) };
  const { signIn, asksCode, failure } = useSignIn(() => openLink({ body }), onSignedIn);
  const isTried = useRef(false);
  useEffect(() => {
    if (isTried.current) return;
    isTried.current = true;
    // its failure is shown
    signIn().catch(() => {});
  }, [signIn]);
  if (!failure) return <Opening />;
  return (
    <Form onSubmit={signIn}>
      <Stack>
        <SignInProblem failure={failure} />
        {asksCode && <CodeInput value={code} onChange={setCode} />}
        {asksCode && <SubmitButton disabled={code.trim() === ''}>Sign in</SubmitButton>}
        <Anchor component="button" type="button" size="sm" onClick={onForm}>
          Sign in with e-mail and password
        </Anchor>
      </Stack>
    </Form>
  );
}

function Opening(): ReactNode {
  return (
    <Group gap="sm" role="status">
      <Loader size="sm" />
      <Text>Opening your sign-in link</Text>
    </Group>
  );
}
