import {
  ActionIcon,
  Avatar,
  Menu,
  Text,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { IconLogout, IconMoon, IconSun } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { menuOf } from './menu-items.ts';
import { useSession } from './use-session.ts';
import { useSignOut } from './use-sign-out.ts';

/** Switch of the colour scheme, and the person with what belongs to them. */
export function PersonMenu(): ReactNode {
  const { name, email, kind } = useSession();
  const signOut = useSignOut();
  return (
    <>
      <SchemeSwitch />
      <Menu position="bottom-end" width={240} withinPortal>
        <Menu.Target>
          <UnstyledButton aria-label="Your menu" flex="none">
            <Avatar size={32} radius="xl" color="signal" alt="" />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            <Text size="sm" fw={600} c="var(--mantine-color-text)" truncate>
              {name}
            </Text>
            {kind === 'user' ? email : 'API key'}
          </Menu.Label>
          <Menu.Divider />
          <OwnPages />
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={signOut}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/** Pages of the group `You`. */
function OwnPages(): ReactNode {
  const items = menuOf(useSession()).filter(({ group }) => group === 'You');
  return items.map(({ to, label, icon: Icon }) => (
    <Menu.Item key={to} leftSection={<Icon size={16} />} renderRoot={(props) => <Link {...props} to={to} />}>
      {label}
    </Menu.Item>
  ));
}

function SchemeSwitch(): ReactNode {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const other = scheme === 'dark' ? 'light' : 'dark';
  const Icon = scheme === 'dark' ? IconSun : IconMoon;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={34}
      aria-label={`Use ${other} colours`}
      onClick={() => setColorScheme(other)}
    >
      <Icon size={18} stroke={1.7} />
    </ActionIcon>
  );
}
