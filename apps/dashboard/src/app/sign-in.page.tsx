import { Box, Card, Center, Stack, Text, Title } from '@mantine/core';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { forgetSession } from '../api/me.ts';
import { BrandSign } from './brand.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { SignInLink } from './sign-in-link.tsx';
import { SignInProvider } from './sign-in-provider.tsx';
import { dropToken, pendingToken } from './sign-in-token.ts';

const route = getRouteApi('/sign-in');

/** Signs in with e-mail and password, or with the token of a sign-in link. */
export function SignInPage(): ReactNode {
  const { next, problem } = route.useSearch();
  const router = useRouter();
  const [token, setToken] = useState(pendingToken);
  useEffect(() => {
    document.title = 'Sign in · Signalbox';
  }, []);
  const leave = async () => {
    dropToken();
    forgetSession();
    await router.navigate({ href: router.options.basepath + (next ?? '/'), replace: true });
  };
  const showForm = () => {
    dropToken();
    setToken(undefined);
  };
  return (
    <Center mih="100dvh" p="md" component="main">
      <Box w={400} maw="100%">
        <Card padding="xl">
          <Stack gap="lg">
            <BrandSign size={36} />
            <Title order={1}>Sign in to Signalbox</Title>
            {token === undefined ? (
              <>
                <SignInProvider next={next} problem={problem} />
                <SignInForm onSignedIn={leave} />
              </>
            ) : (
              <SignInLink token={token} onSignedIn={leave} onForm={showForm} />
            )}
          </Stack>
        </Card>
        <Text size="sm" c="dimmed" ta="center" mt="md">
          No password yet? Ask the person who runs Signalbox for a sign-in link.
        </Text>
      </Box>
    </Center>
  );
}
