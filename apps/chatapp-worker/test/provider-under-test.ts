import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { insertGateway } from '@signalbox/database/gateways/gateways';
import {
  deleteTemplate,
  editTemplate,
  findTemplate,
  insertTemplates,
} from '@signalbox/database/templates/templates';
import { enrolTemplates } from '@signalbox/database/templates/enrolment';
import { gatewayRow } from '@signalbox/domain/sealed-rows';
import type { TemplateContent } from '@signalbox/domain/templates/template';
import { ImageFetcher } from '@signalbox/gateways/image-fetcher';
import { MediaStore } from '@signalbox/gateways/media/media-store';
import { createLogger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { type GraphRequest, graphRow, startGraph } from '@signalbox/test/graph-server';
import { addSender } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { ProviderAccounts } from '../src/provider-templates/provider-accounts.ts';
import { SampleFiles } from '../src/provider-templates/sample-files.ts';
import { TemplateRegistrar } from '../src/provider-templates/template-registrar.ts';

/** A file that headers and cards show. */
export const PNG = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  Buffer.alloc(3_000, 7),
]);
const SEALER = new Sealer(randomBytes(32).toString('base64'));
const LOGGER = createLogger('test', 'silent');
export const BODY = { type: 'BODY', text: 'Hi {{1}}, order {{2}}', example: { body_text: [['Ann', 'A-1']] } };
const CONTENT: TemplateContent = {
  category: 'UTILITY',
  components: [BODY],
  allowCategoryChange: false,
  codeExpirationMinutes: null,
};

const rows = await openSharedRows();

/** Keeps one file in memory, or has lost it. */
class OneFile extends MediaStore {
  constructor(private readonly file: Buffer | undefined) {
    super();
  }

  async write(): Promise<void> {}

  async read(_id: string, offset = 0): Promise<Readable> {
    if (!this.file) throw new Error('no such file');
    return Readable.from([this.file.subarray(offset)]);
  }

  async remove(): Promise<void> {}
}

let setups = 0;

/** Adds an account with a chat account and its number. */
export async function addAccount(msisdn: string) {
  const { db } = rows;
  const accountId = randomUUIDv7();
  const chatAccountId = await addSender(db, accountId, msisdn);
  return { accountId, chatAccountId };
}

/** Adds a gateway to a fake. */
export async function addGateway(name: string, url: string, settings: object = {}): Promise<void> {
  const row = graphRow(url);
  const id = randomUUIDv7();
  await insertGateway(rows.db, {
    id,
    name,
    channel: 'chatapp',
    kind: 'cloud-api',
    settings: { ...row.settings, ...settings },
    sealedSecrets: SEALER.seal(JSON.stringify(row.secrets), gatewayRow(id)),
    ratePerSecond: null,
    enabled: true,
    paused: false,
    source: 'api',
  });
}

/** Acts on the templates of an account as its owner does. */
export function templatesOf({ accountId, chatAccountId }: Awaited<ReturnType<typeof addAccount>>) {
  const { db } = rows;
  const find = async (id: string) => (await findTemplate(db, accountId, id))!;
  return {
    find,
    create: async (content: Partial<TemplateContent> & { name?: string } = {}): Promise<string> => {
      const template = {
        id: randomUUIDv7(),
        chatAccountId,
        name: 'order',
        language: 'en',
        ...CONTENT,
        ...content,
      };
      expect(await insertTemplates(db, accountId, [template], 'test', new Date())).toEqual([]);
      return template.id;
    },
    edit: async (id: string, content: Partial<TemplateContent>) => {
      const { version } = await find(id);
      return editTemplate(db, accountId, { id, version }, { ...CONTENT, ...content }, 'test');
    },
    remove: (id: string) => deleteTemplate(db, accountId, id, 'test'),
    addMedia: (handle: string) =>
      db.query(
        `INSERT INTO media (id, account_id, handle, kind, mime_type, size_bytes, stored_at, expires_at)
         VALUES ($1, $2, $3, 'IMAGE', 'image/png', $4, now(), now() + interval '1 day')`,
        [randomUUIDv7(), accountId, handle, PNG.length],
      ),
  };
}

/** The claims of registrations. */
const claims = {
  /** Sets the count of starts of a registration. */
  hasStarted: (id: string, starts: number) =>
    rows.db.query('UPDATE template_registration SET starts = $2 WHERE template_id = $1', [id, starts]),
  /** Seconds until the lease of a template ends. */
  secondsToClaim: async (id: string): Promise<number> => {
    const [row]: { seconds: number }[] = await rows.db.query(
      `SELECT extract(epoch FROM due_at - now())::integer AS seconds FROM template_registration WHERE template_id = $1`,
      [id],
    );
    return row!.seconds;
  },
};

/** Opens an account whose number a gateway to a fake serves, and a worker that follows it. */
export async function openProvider({ settings = {} as object, hasFile = true } = {}) {
  const { db } = rows;
  await db.query('DELETE FROM gateway');
  await db.query('DELETE FROM template_registration');
  setups += 1;
  const msisdn = String(15_550_783_881 + setups);
  const graph = await startGraph(msisdn);
  const templates = templatesOf(await addAccount(msisdn));
  await addGateway(`whatsapp-${setups}`, graph.url, settings);
  const images = new ImageFetcher({ allowPrivate: true });
  const open = (): ProviderAccounts => {
    const files = new SampleFiles(db, new OneFile(hasFile ? PNG : undefined), images);
    return new ProviderAccounts(db, SEALER, new TemplateRegistrar(db, files, LOGGER), LOGGER);
  };
  let accounts = open();
  const makeDue = () =>
    db.query(`UPDATE template_registration SET due_at = now(), status_at = status_at - interval '1 minute'`);
  const run = (isDone: () => Promise<boolean>): Promise<void> =>
    waitFor(
      async () => {
        await db.query(`UPDATE template_registration SET due_at = now() WHERE problem IS NOT NULL`);
        await enrolTemplates(db);
        await accounts.run();
        return isDone();
      },
      { otherwise: 'the templates were not brought to the provider' },
    );
  return {
    ...templates,
    ...claims,
    graph,
    run,
    registered: (id: string) =>
      run(async () => {
        const found: unknown[] = await db.query(
          'SELECT FROM template_registration WHERE template_id = $1 AND version > 0',
          [id],
        );
        return found.length > 0;
      }),
    /** True when the deletion of a template was carried out. */
    isRemoved: async (id: string): Promise<boolean> => {
      const found: unknown[] = await db.query(
        'SELECT FROM template_registration WHERE template_id = $1 AND deleted_at IS NOT NULL',
        [id],
      );
      return found.length > 0;
    },
    /** A worker that dies and another one that starts, after a minute. */
    restart: async () => {
      await accounts.close();
      await makeDue();
      accounts = open();
    },
    posts: () => graph.requests.filter(creates),
    async [Symbol.asyncDispose]() {
      await accounts.close();
      await images.close();
      await graph[Symbol.asyncDispose]();
    },
  };
}

/** True for a request that creates a template. */
export const creates = ({ method, path }: GraphRequest): boolean =>
  method === 'POST' && path.endsWith('/message_templates');
