import { Button, Card, Center, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { signWith } from '../api/connect.ts';
import type { ApiFailure } from '../api/failure.ts';
import { findSession, forgetSession } from '../api/me.ts';
import { BrandSign } from './brand.tsx';

const route = getRouteApi('/sign-in');

/** Signs in with an API key, which is kept in memory until the page is closed. */
export function SignInPage(): ReactNode {
  const { next } = route.useSearch();
  const router = useRouter();
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    signWith(key.trim());
    forgetSession();
    try {
      if (await findSession()) return router.history.push(next ?? '/app');
    } catch (error) {
      setProblem((error as ApiFailure).message);
    }
    setProblem((previous) => previous ?? 'This API key is not valid.');
  };
  return (
    <Center mih="100dvh" p="md">
      <Card w={400} maw="100%" padding="xl">
        <form onSubmit={(event) => void submit(event)}>
          <Stack>
            <BrandSign size={36} />
            <Title order={1}>Sign in to Signalbox</Title>
            <PasswordInput
              label="API key"
              value={key}
              error={problem}
              onChange={(event) => setKey(event.currentTarget.value)}
            />
            <Button type="submit">Sign in</Button>
            <Text size="sm" c="dimmed">
              The key stays in the memory of this page.
            </Text>
          </Stack>
        </form>
      </Card>
    </Center>
  );
}
