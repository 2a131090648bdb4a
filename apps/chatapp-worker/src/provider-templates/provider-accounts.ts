import { Injectable } from '@nestjs/common';
import { type GatewayRow, listGateways } from '@signalbox/database/gateways/gateways';
import { deleteStaleNumbers, upsertGatewayNumbers } from '@signalbox/database/templates/gateway-numbers';
import { applyListedTemplates, timeOfList } from '@signalbox/database/templates/provider-states';
import {
  type DueRegistration,
  claimRegistrations,
  hasUndecided,
} from '@signalbox/database/templates/registrations';
import { CloudTemplates, toChange } from '@signalbox/gateways/cloud-api/cloud-templates';
import { CLOUD_API_KIND } from '@signalbox/gateways/cloud-api/kind';
import { readSettings } from '@signalbox/gateways/read-settings';
import { openGatewaySecrets } from '@signalbox/messaging/routing-config/gateway-secrets';
import { toProviderTemplate } from '@signalbox/messaging/callbacks/provider-changes';
import { Logger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { LEASE_SECONDS, TemplateRegistrar } from './template-registrar.ts';

/** Milliseconds between two reads of the numbers of a business account. */
const NUMBERS_EVERY_MS = 60_000;

/** Milliseconds between two comparisons of all templates. Webhooks bring changes sooner, and may be lost. */
const LIST_EVERY_MS = 10 * 60_000;

/** The same while Meta has a template to decide on. */
const LIST_UNDECIDED_EVERY_MS = 60_000;

/** Templates of one account that are claimed together. */
const CLAIM = { limitOfAccount: 2, leaseSeconds: LEASE_SECONDS };

/** Accounts whose registrations are under way at the same time. One image of each is in memory. */
const MAX_BUSY = 8;

/** A business account at a provider, as a row of a gateway names it. */
interface Account {
  gateway: string;
  /** Changes when the row does. */
  version: string;
  provider: CloudTemplates;
  numbersAt: number;
  listedAt: number;
  /** The pass that is under way. */
  pass: Promise<void> | undefined;
  /** Registrations that are under way, by the account that they are of. */
  busy: Map<string, Promise<void>>;
}

/**
 * Follows the gateways of kind cloud-api: learns their numbers, registers the templates of these numbers, and compares
 * their states. Each gateway works by itself, so that one that hangs delays no other.
 */
@Injectable()
export class ProviderAccounts {
  private readonly accounts = new Map<string, Account>();
  private isClosed = false;

  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private readonly registrar: TemplateRegistrar,
    private readonly logger: Logger,
  ) {}

  /** Starts a pass for each gateway that has none under way. Resolves when each is started. */
  async run(): Promise<void> {
    const rows = (await listGateways(this.db)).filter(
      ({ kind, enabled }) => kind === CLOUD_API_KIND.kind && enabled,
    );
    if (this.isClosed) return;
    for (const gateway of this.accounts.keys())
      if (!rows.some(({ name }) => name === gateway)) await this.drop(gateway);
    for (const row of rows) {
      const account = await this.follow(row);
      if (account) account.pass ??= this.pass(account).finally(() => (account.pass = undefined));
    }
  }

  /** Ends the calls under way. Their registrations stay due. */
  async close(): Promise<void> {
    this.isClosed = true;
    const accounts = [...this.accounts.values()];
    for (const gateway of this.accounts.keys()) await this.drop(gateway);
    await Promise.all(accounts.flatMap(({ pass }) => pass ?? []));
    await Promise.all(accounts.flatMap(({ busy }) => [...busy.values()]));
  }

  private async drop(gateway: string): Promise<void> {
    const account = this.accounts.get(gateway);
    this.accounts.delete(gateway);
    await account?.provider.close();
    if (!this.isClosed) await deleteStaleNumbers(this.db);
  }

  /** Returns the account of a row, opened again when the row has changed; undefined for invalid settings. */
  private async follow({
    id,
    name,
    version,
    settings,
    sealedSecrets,
  }: GatewayRow): Promise<Account | undefined> {
    const known = this.accounts.get(name);
    const wanted = `${id} ${version}`;
    if (known?.version === wanted) return known;
    if (known) await this.drop(name);
    const secrets = openGatewaySecrets({ id, sealedSecrets }, this.sealer) ?? {};
    const read = readSettings(CLOUD_API_KIND, settings, secrets);
    if ('problems' in read) return undefined; // the state of the gateway names them
    const account: Account = {
      gateway: name,
      version: wanted,
      provider: new CloudTemplates({ name, settings: read.settings, secrets }),
      numbersAt: Number.NEGATIVE_INFINITY,
      listedAt: Number.NEGATIVE_INFINITY,
      pass: undefined,
      busy: new Map(),
    };
    this.accounts.set(name, account);
    return account;
  }

  private async pass(account: Account): Promise<void> {
    try {
      await this.learnNumbers(account);
      await this.register(account);
      await this.compare(account);
    } catch (error) {
      this.logError(account.gateway, error);
    }
  }

  /**
   * Starts due registrations: those of one account in order, and of several accounts at the same time. Accounts whose
   * registrations are under way are left out, so that a slow one delays no other.
   */
  private async register({ gateway, provider, busy }: Account): Promise<void> {
    const { businessAccountId } = provider;
    const limit = MAX_BUSY - busy.size;
    if (limit <= 0) return;
    const limits = { ...CLAIM, limit, busy: [...busy.keys()] };
    const due = await claimRegistrations(this.db, { gateway, businessAccountId }, limits);
    for (const [accountId, own] of Map.groupBy(due, (each) => each.accountId)) {
      const done = this.carryOut(own, provider).catch((error: unknown) => this.logError(gateway, error));
      busy.set(
        accountId,
        done.finally(() => busy.delete(accountId)),
      );
    }
  }

  private async carryOut(own: DueRegistration[], provider: CloudTemplates): Promise<void> {
    for (const each of own) await this.registrar.carryOut(each, provider);
  }

  private logError(gateway: string, error: unknown): void {
    if (!this.isClosed) this.logger.error({ gateway, error }, 'templates.unsynced');
  }

  private async learnNumbers(account: Account): Promise<void> {
    if (performance.now() - account.numbersAt < NUMBERS_EVERY_MS) return;
    account.numbersAt = performance.now();
    const listed = await account.provider.numbers();
    if (listed.result !== 'ok') {
      this.logger.warn({ gateway: account.gateway, reason: listed.reason }, 'numbers.unread');
      return;
    }
    const numbers = listed.numbers.map(({ msisdn, phoneNumberId }) => ({
      msisdn,
      providerId: phoneNumberId,
    }));
    await upsertGatewayNumbers(this.db, account.gateway, numbers);
  }

  /** Applies the states that Meta has now, in case a webhook was lost. */
  private async compare(account: Account): Promise<void> {
    const { gateway, provider } = account;
    const { businessAccountId } = provider;
    const age = performance.now() - account.listedAt;
    if (age < LIST_UNDECIDED_EVERY_MS) return;
    if (age < LIST_EVERY_MS && !(await hasUndecided(this.db, { gateway, businessAccountId }))) return;
    account.listedAt = performance.now();
    const at = await timeOfList(this.db);
    const listed = await provider.list();
    if (listed.result !== 'ok') return;
    const states = listed.templates.map((each) => toProviderTemplate(gateway, toChange(each), at));
    await applyListedTemplates(this.db, states);
  }
}
