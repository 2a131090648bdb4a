import { randomUUIDv7 } from 'node:crypto';
import type { VerificationConfig } from '@signalbox/database/verify/verification-config.entity';
import { findSendingNumbers } from '@signalbox/database/chat/senders';
import { listTemplates } from '@signalbox/database/templates/templates';
import {
  type ConfigSettings,
  deleteConfig,
  findConfig,
  insertConfig,
  listConfigs,
  lockConfig,
  updateConfig,
} from '@signalbox/database/verify/configs';
import { checkOtpText } from '@signalbox/domain/verify/otp-text';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import type { CreatingCall, Creations } from '../http/creations.ts';
import type { Cursors } from '../http/cursor.ts';
import type { PageQuery } from '../http/page-query.ts';
import { UUID } from '../http/uuid.ts';
import type { VerifyConfigChange, VerifyConfigRequest } from './verify-config.dto.ts';
import { brokenFlow } from './verify-config.flow.ts';
import { changedSettings, newSettings } from './verify-config.settings.ts';
import { type VerifyConfigView, verifyConfigView } from './verify-config.view.ts';

/** The languages of one template, as many as there can be. */
const MAX_TEMPLATES = 200;

/** Configures one-time passwords. */
export class VerifyConfigsService {
  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private readonly cursors: Cursors,
    private readonly creations: Creations,
  ) {}

  /** @throws ApiError name_exists, sender_not_found, template_not_found, invalid_request; those of idempotency keys */
  create(call: CreatingCall, request: VerifyConfigRequest): Promise<VerifyConfigView> {
    const { accountId } = call;
    const config = {
      ...newSettings(request, this.sealer),
      id: randomUUIDv7(),
      accountId,
      createdAt: new Date(),
    };
    return this.creations.once(
      call,
      verifyConfigView({ ...config, updatedAt: config.createdAt }),
      async (db) => {
        await checkTemplate(db, accountId, config);
        if (!(await insertConfig(db, config))) throw nameExists(config.name);
      },
    );
  }

  /** @throws ApiError verification_config_not_found, also for another tenant's */
  async get(accountId: string, id: string): Promise<VerifyConfigView> {
    const config = UUID.test(id) ? await findConfig(this.db, accountId, id) : undefined;
    if (!config) throw new ApiError('verification_config_not_found');
    return verifyConfigView(config);
  }

  /**
   * Changes a configuration; what the request leaves out stays as it is. Codes that were sent keep the lifetime and the tries they had.
   *
   * @throws ApiError verification_config_not_found, name_exists, sender_not_found, template_not_found, invalid_request
   */
  async change(accountId: string, id: string, change: VerifyConfigChange): Promise<VerifyConfigView> {
    return this.db.transaction(async (transaction) => {
      const config = await lock(transaction, accountId, id);
      const { id: _, accountId: __, createdAt, updatedAt: ___, deletedAt: ____, ...before } = config;
      const settings = changedSettings(before, change, this.sealer);
      const whole = {
        ...settings,
        hasSender: settings.sender !== null,
        hasTemplate: settings.template !== null,
      };
      const broken = [...checkOtpText(settings, settings.codeLength), ...brokenFlow(whole, change)];
      if (broken.length > 0) throw invalidRequest(broken);
      if (change.template) await checkTemplate(transaction, accountId, settings);
      if (!(await updateConfig(transaction, accountId, id, settings))) throw nameExists(settings.name);
      return verifyConfigView({ ...settings, id, createdAt, updatedAt: new Date() });
    });
  }

  /** Takes a configuration away; no code is sent by it any more. @throws ApiError verification_config_not_found */
  async delete(accountId: string, id: string): Promise<void> {
    if (!UUID.test(id) || !(await deleteConfig(this.db, accountId, id)))
      throw new ApiError('verification_config_not_found');
  }

  /** A page of the account's configurations, newest first. */
  list(
    accountId: string,
    query: PageQuery,
  ): Promise<{ page: VerifyConfigView[]; nextCursor: string | null }> {
    const read = (limit: number, before?: string) => listConfigs(this.db, accountId, limit, before);
    return this.cursors.page('verify configs', accountId, query, read, verifyConfigView);
  }
}

/** A template that carries codes is there when it is named, and made for codes; it may be approved later. */
async function checkTemplate(
  db: EntityManager,
  accountId: string,
  { template }: Pick<ConfigSettings, 'template'>,
): Promise<void> {
  if (template === null) return;
  const { name, language, from } = template;
  const [sender] = await findSendingNumbers(db, [{ accountId, msisdn: from }]);
  if (!sender) throw new ApiError('sender_not_found');
  const filter = { chatAccountId: sender.chatAccountId, name, language: language ?? undefined };
  const found = await listTemplates(db, accountId, filter, MAX_TEMPLATES);
  if (found.length === 0) throw new ApiError('template_not_found');
  if (found.every(({ category }) => category === 'AUTHENTICATION')) return;
  throw invalidRequest([
    {
      field: 'template.name',
      rule: 'not_allowed_value',
      message: 'must be that of an AUTHENTICATION template',
    },
  ]);
}

async function lock(db: EntityManager, accountId: string, id: string): Promise<VerificationConfig> {
  const config = UUID.test(id) ? await lockConfig(db, accountId, id) : undefined;
  if (!config) throw new ApiError('verification_config_not_found');
  return config;
}

function nameExists(name: string): ApiError {
  return new ApiError('name_exists', `The account has a verification configuration named "${name}" already.`);
}
