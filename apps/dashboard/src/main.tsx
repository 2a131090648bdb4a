import '@mantine/core/styles.css';
import '@mantine/dates/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './app/app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { connect } from './api/connect.ts';
import { onSessionEnd } from './api/me.ts';
import { Root } from './app/root.tsx';
import { takeToken } from './app/sign-in-token.ts';
import { router } from './router.tsx';

takeToken();
connect();
onSessionEnd(() => void router.invalidate());
createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <Root router={router} />
  </StrictMode>,
);
