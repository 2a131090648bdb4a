import '@mantine/core/styles.css';
import '@mantine/dates/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './app/app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { connect } from './api/connect.ts';
import { Root } from './app/root.tsx';
import { router } from './router.tsx';

connect();
createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <Root router={router} />
  </StrictMode>,
);
