import { AppShell, Box, Burger, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { startLive } from '../api/live.ts';
import { useSessionEnd } from '../api/session-end.ts';
import { AccountSwitch } from './account-switch.tsx';
import { Brand } from './brand.tsx';
import { Menu } from './menu.tsx';
import { OfflineBar } from './offline-bar.tsx';
import { PasswordBar } from './password-bar.tsx';
import { PageProgress } from './page-progress.tsx';
import { PersonMenu } from './person-menu.tsx';
import { Search } from './search.tsx';
import { SignInAgain } from './sign-in-again.tsx';
import classes from './shell.module.css';

/** The frame of every page: menu, search, account and person. */
export function Shell(): ReactNode {
  const { isOpen, open, close, opener, closer } = useNarrowMenu();
  const hasEnded = useSessionEnd();
  useEffect(() => (hasEnded ? undefined : startLive()), [hasEnded]);
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'Escape') close();
  };
  return (
    <AppShell
      layout="alt"
      header={{ height: 56 }}
      navbar={{ width: 256, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding={0}
    >
      <a href="#main" className={classes.skip}>
        Skip to the page
      </a>
      <PageProgress />
      <AppShell.Header className={classes.header}>
        <Group h="100%" px={{ base: 'sm', md: 'xl' }} gap="sm" wrap="nowrap">
          <Burger
            ref={opener}
            opened={isOpen}
            onClick={open}
            hiddenFrom="md"
            size="sm"
            aria-label="Menu"
            aria-expanded={isOpen}
          />
          <Search />
          <Box flex="1 1 0" />
          <PersonMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        className={classes.navbar}
        aria-label="Menu"
        data-open={isOpen || undefined}
        onKeyDown={onKeyDown}
      >
        <Group h={56} px="md" justify="space-between" wrap="nowrap">
          <Brand />
          <Burger ref={closer} opened onClick={close} hiddenFrom="md" size="sm" aria-label="Close the menu" />
        </Group>
        <AccountSwitch />
        <Menu />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <OfflineBar />
        <PasswordBar />
        <Outlet />
        <SignInAgain />
      </AppShell.Main>
    </AppShell>
  );
}

/** The menu of a narrow window, which covers the page: it takes the focus, gives it back, and closes with each page. */
function useNarrowMenu() {
  const [isOpen, { open, close }] = useDisclosure(false);
  const opener = useRef<HTMLButtonElement>(null);
  const closer = useRef<HTMLButtonElement>(null);
  const path = useRouterState({ select: (state) => state.location.pathname });
  useEffect(close, [path, close]);
  useEffect(() => {
    if (!isOpen) return;
    const from = opener.current;
    closer.current?.focus();
    return () => from?.focus();
  }, [isOpen]);
  return { isOpen, open, close, opener, closer };
}
