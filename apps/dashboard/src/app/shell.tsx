import { AppShell, Box, Burger, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { startLive } from '../api/live.ts';
import { AccountSwitch } from './account-switch.tsx';
import { Brand } from './brand.tsx';
import { Menu } from './menu.tsx';
import { OfflineBar } from './offline-bar.tsx';
import { PersonMenu } from './person-menu.tsx';
import { Search } from './search.tsx';
import classes from './shell.module.css';

/** The frame of every page: menu, search, account and person. */
export function Shell(): ReactNode {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  useEffect(close, [path, close]);
  useEffect(() => startLive(), []);
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
      <AppShell.Header className={classes.header}>
        <Group h="100%" px={{ base: 'sm', md: 'xl' }} gap="sm" wrap="nowrap">
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="md" size="sm" aria-label="Menu" />
          <Search />
          <Box flex="1 1 0" />
          <PersonMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} aria-label="Menu">
        <Group h={56} px="md" justify="space-between" wrap="nowrap">
          <Brand />
          <Burger opened onClick={close} hiddenFrom="md" size="sm" aria-label="Close the menu" />
        </Group>
        <AccountSwitch />
        <Menu />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <OfflineBar />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
