import { Button, Code, Group, PasswordInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import {
  type Session,
  changePassword,
  confirmTotp,
  deleteOtherSessions,
  deleteSession,
  getSignInOptions,
  listSessions,
  offerTotp,
  removeTotp,
} from '@signalbox/client';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { ClientResult } from '../../api/answer.ts';
import { forgetSession } from '../../api/me.ts';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useSession } from '../../app/use-session.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { counted } from '../../parts/counted.ts';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Section } from '../../parts/section.tsx';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { Time } from '../../parts/time.tsx';
import { useFieldErrors } from '../../parts/use-field-errors.ts';
import { browserOf } from './browser-of.ts';
import { QrCode } from './qr-code.tsx';
import { WORDS } from './words.ts';

/** The password, the second factor and the sessions of the user. */
export function ProfilePage(): ReactNode {
  const { kind } = useSession();
  return (
    <Page title={WORDS.profile.title} lead={WORDS.profile.lead}>
      {kind === 'key' ? (
        <Text>You are signed in with an API key, which has no profile.</Text>
      ) : (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <PasswordCard />
          <SecondFactorCard />
          <SessionsCard />
          <ProviderCard />
        </SimpleGrid>
      )}
    </Page>
  );
}

/** Reads the user again, after what the page shows of them has changed. */
function useReload(): () => Promise<void> {
  const router = useRouter();
  return async () => {
    forgetSession();
    await router.invalidate();
  };
}

function PasswordCard(): ReactNode {
  const { hasPassword } = useSession();
  const reload = useReload();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useAct(
    () => changePassword({ body: { newPassword: next, ...(hasPassword && { currentPassword: current }) } }),
    { changes: ['sessions'], done: 'The password was set.', showsFailure: false },
  );
  const { about, shown } = useFieldErrors(change.error, { password: current, newPassword: next });
  const save = async () => {
    await change.mutateAsync();
    setCurrent('');
    setNext('');
    await reload();
  };
  return (
    <Section title="Password">
      <Form isChanged={current !== '' || next !== ''} isCheckedByBrowser onSubmit={save}>
        <Stack>
          {hasPassword && (
            <OwnPassword
              label="Current password"
              value={current}
              error={about('password')}
              onChange={setCurrent}
            />
          )}
          <PasswordInput
            label="New password"
            description="At least 12 characters. Your other sessions end."
            autoComplete="new-password"
            minLength={12}
            value={next}
            error={about('newPassword')}
            onChange={({ currentTarget }) => setNext(currentTarget.value)}
            required
          />
          <FailureAlert failure={shown} />
          <SubmitButton w="fit-content">Set password</SubmitButton>
        </Stack>
      </Form>
    </Section>
  );
}

function SecondFactorCard(): ReactNode {
  const { hasTotp, hasPassword, recoveryCodes } = useSession();
  const [codes, setCodes] = useState<string[]>();
  return (
    <Section title="Second factor">
      {codes && <Secret value={codes.join('\n')} label="recovery codes" />}
      <Text>
        {hasTotp
          ? `Signing in needs a code of your authenticator app. ${counted(recoveryCodes, 'recovery code is', 'recovery codes are')} left.`
          : factorText(hasPassword)}
      </Text>
      {hasTotp ? <RemoveFactor onRemoved={() => setCodes(undefined)} /> : <AddFactor onAdded={setCodes} />}
    </Section>
  );
}

function factorText(hasPassword: boolean): string {
  if (hasPassword) return 'Signing in needs your password only.';
  return 'Once you have set a password, signing in needs that password only.';
}

interface OwnPasswordProps {
  label: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function OwnPassword({ label, value, error, onChange }: OwnPasswordProps): ReactNode {
  return (
    <PasswordInput
      label={label}
      autoComplete="current-password"
      value={value}
      error={error}
      aria-invalid={error !== undefined}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      required
    />
  );
}

/** Confirms an act with the password of a user who has one, and shows why the act was refused. */
function useConfirmed<Body>(
  call: (body: { password?: string }) => ClientResult<Body>,
  options: { done?: string } = {},
) {
  const { hasPassword } = useSession();
  const [password, setPassword] = useState('');
  const act = useAct(() => call(hasPassword ? { password } : {}), { ...options, showsFailure: false });
  const { about, shown } = useFieldErrors(act.error, { password });
  const fields = (
    <>
      {hasPassword && (
        <OwnPassword
          label="Your password"
          value={password}
          error={about('password')}
          onChange={setPassword}
        />
      )}
      <FailureAlert failure={shown} />
    </>
  );
  return { act, isTyped: password !== '', fields };
}

function RemoveFactor({ onRemoved }: { onRemoved: () => void }): ReactNode {
  const done = 'The second factor was removed.';
  const remove = useConfirmed((body) => removeTotp({ body }), { done });
  const { isTyped, fields } = remove;
  const reload = useReload();
  const act = async () => {
    await remove.act.mutateAsync();
    onRemoved();
    await reload();
  };
  return (
    <Form isChanged={isTyped} isCheckedByBrowser onSubmit={act}>
      <Stack>
        {fields}
        <SubmitButton w="fit-content" variant="default">
          Remove second factor
        </SubmitButton>
      </Stack>
    </Form>
  );
}

function AddFactor({ onAdded }: { onAdded: (codes: string[]) => void }): ReactNode {
  const [offered, setOffered] = useState<{ secret: string; uri: string }>();
  const offer = useConfirmed((body) => offerTotp({ body }));
  if (offered) return <ConfirmFactor offered={offered} onAdded={onAdded} />;
  return (
    <Form
      isChanged={offer.isTyped}
      isCheckedByBrowser
      onSubmit={async () => setOffered((await offer.act.mutateAsync()).data)}
    >
      <Stack>
        {offer.fields}
        <SubmitButton w="fit-content">Add second factor</SubmitButton>
      </Stack>
    </Form>
  );
}

function ConfirmFactor({
  offered: { secret, uri },
  onAdded,
}: {
  offered: { secret: string; uri: string };
  onAdded: (codes: string[]) => void;
}): ReactNode {
  const reload = useReload();
  const [code, setCode] = useState('');
  const confirm = useAct(() => confirmTotp({ body: { code } }), {
    changes: ['sessions'],
    showsFailure: false,
  });
  const { about, shown } = useFieldErrors(confirm.error, { code });
  const act = async () => {
    onAdded((await confirm.mutateAsync()).data.recoveryCodes);
    await reload();
  };
  return (
    <Form isChanged={code !== ''} isCheckedByBrowser onSubmit={act}>
      <Stack>
        <Text>Scan this with your authenticator app, or type the secret. Then enter the first code.</Text>
        <QrCode text={uri} label="QR code of the second factor" />
        <Code block>{secret}</Code>
        <TextInput
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          error={about('code')}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          required
        />
        <FailureAlert failure={shown} />
        <SubmitButton w="fit-content">Confirm</SubmitButton>
      </Stack>
    </Form>
  );
}

/** Lets operators link with the identity provider. Other users are linked when they first sign in there. */
function ProviderCard(): ReactNode {
  const { role } = useSession();
  const { data } = useAnswer(['sign-in-options'], (signal) => getSignInOptions({ signal }));
  if (role !== 'operator' || !data?.identityProvider) return null;
  return (
    <Section title="Identity provider">
      <Text>Once you are linked, you can sign in with it as well. Your password keeps working.</Text>
      <Button component="a" href="/oidc/sign-in?next=%2Fprofile" variant="default" w="fit-content">
        Link with {data.identityProviderName ?? 'your organization'}
      </Button>
    </Section>
  );
}

function SessionsCard(): ReactNode {
  const sessions = useAnswer(['sessions'], (signal) => listSessions({ signal }));
  const endOthers = useAct(() => deleteOtherSessions(), {
    changes: ['sessions'],
    done: 'The others were ended.',
  });
  return (
    <Section
      title="Sessions"
      actions={
        sessions.data?.some(({ isCurrent }) => !isCurrent) && (
          <ActionButton size="compact-sm" variant="default" onAct={() => endOthers.mutateAsync()}>
            End all others
          </ActionButton>
        )
      }
    >
      <Loaded answer={sessions} height={60}>
        {(rows) => rows.map((session) => <SessionRow key={session.id} session={session} />)}
      </Loaded>
    </Section>
  );
}

function SessionRow({ session }: { session: Session }): ReactNode {
  const { id, address, userAgent, isCurrent, usedAt } = session;
  const end = useAct(() => deleteSession({ path: { id } }), { changes: ['sessions'] });
  return (
    <Group justify="space-between" wrap="nowrap">
      <div style={{ minWidth: 0 }}>
        <Text size="sm" truncate title={userAgent}>
          {browserOf(userAgent)}
        </Text>
        <Text size="sm" c="dimmed">
          {address} · {isCurrent ? 'this browser' : <Time at={usedAt} />}
        </Text>
      </div>
      {!isCurrent && (
        <ActionButton size="compact-sm" variant="default" flex="none" onAct={() => end.mutateAsync()}>
          End
        </ActionButton>
      )}
    </Group>
  );
}
