import { Injectable } from '@nestjs/common';
import { applyGatewaysFile } from '@signalbox/messaging/routing-config/apply-gateways-file';
import { Logger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { ApiConfig } from '../config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Applies GATEWAYS_FILE, when there is one. */
@Injectable()
export class FileFollower {
  private applying: Promise<void> = Promise.resolve();

  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private readonly config: ApiConfig,
    private readonly logger: Logger,
  ) {}

  /** @param environment values of the variables in the file @throws the problems of the file, each with its line */
  async apply(environment: Environment): Promise<void> {
    const { GATEWAYS_FILE: file } = this.config;
    if (file === '') return;
    const { created, changed, disabled } = await applyGatewaysFile(this.db, this.sealer, file, environment);
    this.logger.info({ file, created, changed }, 'gateways.applied');
    if (disabled.length > 0) this.logger.warn({ file, disabled }, 'gateways.disabled');
  }

  /** Applies the file again, after the run in progress. A file with problems changes nothing and is logged. */
  applyAgain(environment: Environment): Promise<void> {
    this.applying = this.applying
      .then(() => this.apply(environment))
      .catch((error: unknown) =>
        this.logger.error({ file: this.config.GATEWAYS_FILE, error }, 'gateways.not_applied'),
      );
    return this.applying;
  }
}
