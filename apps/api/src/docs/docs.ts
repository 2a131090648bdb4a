import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { STREAM_PATHS } from '../stream/stream-operation.ts';
import { ERROR_PAGE_POLICY, errorPage } from './error-page.ts';
import { toPostman } from './postman.ts';
import { describePushes } from './push-models.ts';
import { describeLimits } from './request-limits.ts';
import { withNullTypes } from './null-types.ts';
import { describeFailures } from './failure-schema.ts';
import { addModels } from './model.ts';

/** Content security policy of the page: it runs its own scripts only; styles and icons are inlined. */
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

const DESCRIPTION = `Send SMS, chat-app messages and one-time passwords, track their delivery, and receive delivery reports on your server.

- Every request carries your API key in the header \`apikey\`. Press *Authorize* to try requests on this page.
- Every response has \`error\`, which is null on success, and the header \`x-request-id\`. All failures share [one format](/docs/errors).
- This page as a file: [OpenAPI](/docs/openapi.json), [Postman collection](/docs/postman.json).
- The header \`RateLimit\` shows how many points your key has left in this minute: a message costs one, a costly call more. Unknown fields of a body are ignored and listed in \`Ignored-Fields\`; gateways, routes, and calls that cancel, discard, free or replay many at a time refuse them.`;

/** Groups of operations, in their order in /docs. */
const GROUPS: Record<string, string> = {
  SMS: 'Send SMS, follow or cancel a send, read inbound SMS, and manage opt-outs.',
  'SMS templates': 'Texts with placeholders, and their DLT registration.',
  'Chat-app messages': 'Send chat-app messages, and read what recipients wrote.',
  'Chat-app templates': 'Templates, their media and their review.',
  'Chat accounts': 'Chat accounts and their business numbers.',
  'One-time passwords': 'Send and verify codes; limits, fraud guard and statistics.',
  Messages: 'Find messages, sends and conversations, and cancel what is pending.',
  Statistics: 'Counts of messages, delivery times and credits over time.',
  Webhooks: 'Push delivery reports and events to your server.',
  Gateways: 'Connect SMSCs, HTTP vendors and business accounts, and route messages to them.',
  Operations: 'Queues, lanes, parked rows, accounts and the state of the installation.',
  Users: 'Sign in, and manage users, API keys and the audit log.',
  Senders: 'The senders of an account, and which account owns a number.',
  Simulator: 'Read the simulated phones, and write to yourself as a customer.',
};

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Adds /docs (Swagger UI from local files), /docs/openapi.json, the same as a Postman collection at /docs/postman.json,
 * and /docs/errors, the target of the link in every error body. They need no key. Call it before the application is
 * initialized.
 *
 * @param publicUrl address of the installation in the collection
 */
export function installDocs(app: NestFastifyApplication, publicUrl: string): void {
  const instance = app.getHttpAdapter().getInstance();
  restrictPages(instance);
  const page = errorPage();
  instance.get('/docs/errors', (_request, reply) => {
    reply.header('content-security-policy', ERROR_PAGE_POLICY).type('text/html; charset=utf-8').send(page);
  });
  let document: OpenAPIObject | undefined;
  const build = (): OpenAPIObject => (document ??= buildDocument(app));
  const openApi = bytesOnce(build);
  instance.get('/docs/openapi.json', (_request, reply) => {
    reply.type(JSON_TYPE).send(openApi());
  });
  const postman = bytesOnce(() => toPostman(build(), publicUrl));
  instance.get('/docs/postman.json', (_request, reply) => {
    reply
      .type(JSON_TYPE)
      .header('content-disposition', 'attachment; filename="signalbox.postman_collection.json"')
      .send(postman());
  });
  SwaggerModule.setup('docs', app, build, {
    raw: false,
    customSiteTitle: 'Signalbox API',
    customCss: '.swagger-ui .topbar { display: none }',
    // Without `validatorUrl: null` the page loads a badge from swagger.io.
    swaggerOptions: {
      validatorUrl: null,
      persistAuthorization: true,
      filter: true,
      deepLinking: true,
      tryItOutEnabled: true,
      defaultModelsExpandDepth: 0,
      plugins: [{ statePlugins: { spec: { wrapSelectors: { allowTryItOutFor: exceptStream } } } }],
    },
  });
}

/** Runs in the page, from its source. The page shows a response at its end, which the stream does not have. */
function exceptStream() {
  return (_state: unknown, path: string): boolean => path !== '/v1/stream';
}

/** Serializes a document at its first use, for all answers together: anyone may ask for it, at any rate. */
function bytesOnce(document: () => object): () => Buffer {
  let bytes: Buffer | undefined;
  return () => (bytes ??= Buffer.from(JSON.stringify(document())));
}

/** Sets the policy on the routes under /docs; no hook runs for other requests. */
function restrictPages(instance: FastifyInstance): void {
  instance.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/docs')) return;
    route.onRequest = (_request, reply, done) => {
      reply.header('content-security-policy', UI_POLICY).header('referrer-policy', 'no-referrer');
      done();
    };
  });
}

/** Builds the OpenAPI document of an application, which need not be initialized. */
export function buildDocument(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder();
  for (const [group, description] of Object.entries(GROUPS)) builder.addTag(group, description);
  const config = builder
    .setOpenAPIVersion('3.1.0')
    .setTitle('Signalbox API')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'This service')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'apikey' }, 'apikey')
    .addSecurityRequirements('apikey')
    .build();
  const operations = describeLimits(withoutPrefilledFilters(SwaggerModule.createDocument(app, config)), app);
  Object.assign(operations.paths, STREAM_PATHS);
  const document = { ...describeFailures(operations), webhooks: describePushes() };
  return withNullTypes(addModels(document)) as OpenAPIObject;
}

/** Moves the examples of filters to their descriptions: /docs would send an example with the first request. */
function withoutPrefilledFilters(document: OpenAPIObject): OpenAPIObject {
  for (const path of Object.values(document.paths))
    for (const parameter of path.get?.parameters ?? [])
      if ('in' in parameter && parameter.in === 'query' && parameter.example !== undefined) {
        parameter.description =
          `${parameter.description ?? ''} Example: \`${String(parameter.example)}\`.`.trim();
        delete parameter.example;
      }
  return document;
}
