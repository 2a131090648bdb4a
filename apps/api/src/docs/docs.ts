import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { ERROR_PAGE_POLICY, errorPage } from './error-page.ts';
import { describeFailures } from './failure-schema.ts';

/** The page runs its own scripts only; its style sheet and its icons are inlined. */
const UI_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const DESCRIPTION = `Send SMS, chat-app messages and one-time passwords, look up what became of them, and have that pushed to your server.

- Every call carries your API key in the header \`apikey\`: press *Authorize* to try calls out from here.
- Every answer has \`error\`, null when all went well, and a header \`x-request-id\`. All failures have one form: [errors](/docs/errors).
- \`RateLimit\` tells what your key may still do in this minute. Unknown fields of a body are ignored, and named in \`Ignored-Fields\`.`;

/** The groups of operations, in the order that /docs shows them. */
const GROUPS = [
  'SMS',
  'SMS templates',
  'Chat-app messages',
  'Chat-app templates',
  'Chat accounts',
  'One-time passwords',
  'Messages',
  'Webhooks',
  'Simulator',
];

/**
 * Adds /docs (Swagger UI, from local files), /docs/openapi.json, and /docs/errors, where every error body links to.
 * They need no key. Call it before the application is initialised.
 */
export function installDocs(app: NestFastifyApplication): void {
  const instance = app.getHttpAdapter().getInstance();
  restrictPages(instance);
  const page = errorPage();
  instance.get('/docs/errors', (_request, reply) => {
    reply.header('content-security-policy', ERROR_PAGE_POLICY).type('text/html; charset=utf-8').send(page);
  });
  SwaggerModule.setup('docs', app, () => buildDocument(app), {
    jsonDocumentUrl: 'docs/openapi.json',
    raw: ['json'],
    customSiteTitle: 'Signalbox API',
    customCss: '.swagger-ui .topbar { display: none }',
    // Without the first the page shows a badge from swagger.io.
    swaggerOptions: {
      validatorUrl: null,
      persistAuthorization: false,
      deepLinking: true,
      tryItOutEnabled: true,
      defaultModelsExpandDepth: 0,
    },
  });
}

/** Only the routes under /docs get the policy: no hook runs for any other request. */
function restrictPages(instance: FastifyInstance): void {
  instance.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/docs')) return;
    route.onRequest = (_request, reply, done) => {
      reply.header('content-security-policy', UI_POLICY).header('referrer-policy', 'no-referrer');
      done();
    };
  });
}

function buildDocument(app: NestFastifyApplication): OpenAPIObject {
  const builder = new DocumentBuilder();
  for (const group of GROUPS) builder.addTag(group);
  const config = builder
    .setTitle('Signalbox API')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'apikey' }, 'apikey')
    .addSecurityRequirements('apikey')
    .build();
  return describeFailures(SwaggerModule.createDocument(app, config));
}
