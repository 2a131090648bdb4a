import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
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
import type { VerificationConfig } from '@signalbox/database/verify/verification-config.entity';
import { testNumberRow } from '@signalbox/domain/sealed-rows';
import { checkOtpText } from '@signalbox/domain/verify/otp-text';
import { violation } from '@signalbox/domain/violation';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import type { Caller } from '../auth/caller.ts';
import { withAuditAsLiveCaller } from '../auth/live-caller.ts';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import { requireRoom } from '../http/account-limits.ts';
import { changesNothing } from '../http/changes-nothing.ts';
import type { Page } from '../http/answer.ts';
import { Creations, type LiveCall } from '../http/creations.ts';
import { Cursors } from '../http/cursor.ts';
import { findOwn } from '../http/find-own.ts';
import type { PageQuery } from '../http/page-query.ts';
import type { VerifyConfigChange, VerifyConfigRequest } from './verify-config.dto.ts';
import { type SealCode, changedSettings, newSettings, settingsOf } from './verify-config-settings.ts';
import { checkStoredFlow } from './verify-config.rules.ts';
import { type VerifyConfigView, verifyConfigView } from './verify-config.view.ts';

/** At least the number of languages that one template can have. */
const MAX_TEMPLATES = 200;

/** Manages an account's verification configurations. */
@Injectable()
export class VerifyConfigsService {
  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private readonly cursors: Cursors,
    private readonly creations: Creations,
  ) {}

  /**
   * @throws ApiError name_exists, limit_reached, sender_not_found, template_not_found, invalid_request; those of
   * `onceLive`
   */
  create(call: LiveCall<VerifyConfigRequest>): Promise<VerifyConfigView> {
    const { accountId, request } = call;
    const id = randomUUIDv7();
    const createdAt = new Date();
    const config = { ...newSettings(request, this.sealCode(accountId, id)), id, accountId, createdAt };
    const view = verifyConfigView({ ...config, updatedAt: createdAt });
    return this.creations.onceLive(call, view, async (db) => {
      await requireRoom(db, accountId, 'verifyConfigs');
      await checkTemplate(db, accountId, config);
      if (!(await insertConfig(db, config))) throw nameExists(config.name);
    });
  }

  /** @throws ApiError verification_config_not_found, also for another tenant's */
  async get(accountId: string, id: string): Promise<VerifyConfigView> {
    const find = () => findConfig(this.db, accountId, id);
    return verifyConfigView(await findOwn(id, find, 'verification_config_not_found'));
  }

  /**
   * Changes a configuration. Omitted settings keep their values. Codes already sent keep their lifetime and their
   * number of attempts.
   *
   * @throws ApiError verification_config_not_found, name_exists, sender_not_found, template_not_found, invalid_request;
   * those of `requireLiveCaller`
   */
  async change(caller: Caller, id: string, change: VerifyConfigChange): Promise<VerifyConfigView> {
    const { accountId } = caller;
    if (changesNothing(change)) return this.get(accountId, id);
    return withAuditAsLiveCaller(this.db, caller, async (transaction) => {
      const config = await lock(transaction, accountId, id);
      const settings = changedSettings(settingsOf(config), change, this.sealCode(accountId, id));
      const broken = [...checkOtpText(settings, settings.codeLength), ...checkStoredFlow(settings, change)];
      if (broken.length > 0) throw invalidRequest(broken);
      if (change.template) await checkTemplate(transaction, accountId, settings);
      const updatedAt = new Date();
      if (!(await updateConfig(transaction, accountId, id, settings, updatedAt)))
        throw nameExists(settings.name);
      return verifyConfigView({ ...config, ...settings, updatedAt });
    });
  }

  /**
   * Deletes a configuration; codes already sent stay valid.
   *
   * @throws ApiError verification_config_not_found; those of `requireLiveCaller`
   */
  delete(caller: Caller, id: string): Promise<{ id: string }> {
    return withAuditAsLiveCaller(this.db, caller, async (db) => {
      await findOwn(id, () => deleteConfig(db, caller.accountId, id), 'verification_config_not_found');
      return { id };
    });
  }

  private sealCode(accountId: string, configId: string): SealCode {
    return (code, msisdn) => this.sealer.seal(code, testNumberRow(accountId, configId, msisdn));
  }

  /** A page of the account's configurations, newest first. */
  list(accountId: string, query: PageQuery): Promise<Page<VerifyConfigView>> {
    const read = (limit: number, before?: string) => listConfigs(this.db, accountId, limit, before);
    return this.cursors.page('verify configs', accountId, query, read, verifyConfigView);
  }
}

/** Requires the named template to exist and to be an AUTHENTICATION template. It may be approved later. */
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
  const message = 'must be that of an AUTHENTICATION template';
  throw invalidRequest([violation('template.name', 'not_allowed_value', message)]);
}

function lock(db: EntityManager, accountId: string, id: string): Promise<VerificationConfig> {
  return findOwn(id, () => lockConfig(db, accountId, id), 'verification_config_not_found');
}

function nameExists(name: string): ApiError {
  return new ApiError('name_exists', `The account has a verification configuration named "${name}" already.`);
}
