import { createRouter } from '@tanstack/react-router';
import { PageFailure } from './app/page-failure.tsx';
import { signInRoute } from './app/sign-in.route.tsx';
import { endpointsRoutes } from './pages/endpoints/endpoints.routes.tsx';
import { gatewaysRoutes } from './pages/gateways/gateways.routes.tsx';
import { rootRoute, shellRoute, unknownRoute } from './app/shell.route.tsx';
import { inboxRoutes } from './pages/inbox/inbox.routes.tsx';
import { identityRoutes } from './pages/identity/identity.routes.tsx';
import { messagesRoutes } from './pages/messages/messages.routes.tsx';
import { chatAccountsRoutes } from './pages/chat-accounts/chat-accounts.routes.tsx';
import { operationsRoutes } from './pages/operations/operations.routes.tsx';
import { orphanReportsRoutes } from './pages/orphan-reports/orphan-reports.routes.tsx';
import { optOutsRoutes } from './pages/opt-outs/opt-outs.routes.tsx';
import { sendRoutes } from './pages/send/send.routes.tsx';
import { sendersRoutes } from './pages/senders/senders.routes.tsx';
import { smsTemplatesRoutes } from './pages/sms-templates/sms-templates.routes.tsx';
import { overviewRoutes } from './pages/overview/overview.routes.tsx';
import { sendsRoutes } from './pages/sends/sends.routes.tsx';
import { routingRoutes } from './pages/routing/routing.routes.tsx';
import { phoneRoutes } from './pages/phone/phone.routes.tsx';
import { templatesRoutes } from './pages/templates/templates.routes.tsx';
import { usageRoutes } from './pages/usage/usage.routes.tsx';
import { verificationRoutes } from './pages/verification/verification.routes.tsx';
import { webhooksRoutes } from './pages/webhooks/webhooks.routes.tsx';

const AREAS = [
  // one line per area, so that branches merge
  ...overviewRoutes,
  ...operationsRoutes,
  ...identityRoutes,
  ...gatewaysRoutes,
  ...endpointsRoutes,
  ...orphanReportsRoutes,
  ...smsTemplatesRoutes,
  ...sendersRoutes,
  ...sendRoutes,
  ...optOutsRoutes,
  ...messagesRoutes,
  ...routingRoutes,
  ...templatesRoutes,
  ...phoneRoutes,
  ...inboxRoutes,
  ...chatAccountsRoutes,
  ...webhooksRoutes,
  ...sendsRoutes,
  ...usageRoutes,
  ...verificationRoutes,
] as const;

const tree = rootRoute.addChildren([signInRoute, shellRoute.addChildren([...AREAS, unknownRoute])]);

export const router = createRouter({
  routeTree: tree,
  basepath: '/app',
  defaultErrorComponent: PageFailure,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
