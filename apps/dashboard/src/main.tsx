import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './app/app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { connect } from './api/connect.ts';
import { Root } from './app/root.tsx';
import { pendingToken, takeToken } from './app/sign-in-token.ts';
import { readFiguresAhead } from './pages/overview/use-figures.ts';
import { router } from './router.tsx';

takeToken();
connect();
if (pendingToken() === undefined) void readAhead();
createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <Root router={router} />
  </StrictMode>,
);

/**
 * Asks for the figures of Overview before React renders: the early answer about the session, which is mostly there by
 * now, is not read for that. The router reports what fails.
 */
async function readAhead(): Promise<void> {
  const isOverview = router.latestLocation.pathname === '/';
  const early = await window.signalboxSession?.catch(() => undefined);
  if (early?.ok && isOverview) readFiguresAhead();
}
