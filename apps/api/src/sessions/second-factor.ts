import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { useRecoveryCode, useTotpStep } from '@signalbox/database/users/second-factors';
import type { UserSecrets } from '@signalbox/database/users/users';
import { totpRow } from '@signalbox/domain/sealed-rows';
import { Logger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { Secret, TOTP } from 'otpauth';
import type { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import { Attempts } from './attempts.ts';

const ISSUER = 'Signalbox';
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

/** A second factor that its user has yet to confirm. */
export interface OfferedTotp {
  /** In base32, to be typed. */
  secret: string;
  /** `otpauth://` URI, for a QR code. */
  uri: string;
}

/** Codes of authenticator apps (TOTP, RFC 6238) and recovery codes. Each is taken once. */
@Injectable()
export class SecondFactor {
  constructor(
    private readonly sealer: Sealer,
    private readonly attempts: Attempts,
    private readonly logger: Logger,
  ) {}

  /**
   * Requires a code of a user who has a second factor, and uses it up.
   *
   * @throws ApiError code_required, code_incorrect, rate_limited
   */
  async require(db: EntityManager, user: UserSecrets, code: string | undefined): Promise<void> {
    if (user.sealedTotp === null) return;
    if (code === undefined) throw new ApiError('code_required');
    const undo = await this.attempts.countCode(user.id);
    const bare = code.replaceAll(/[\s-]/g, '').toLowerCase();
    const isUsed = /^\d{6}$/.test(bare)
      ? await this.useCode(db, user.id, user.sealedTotp, bare)
      : await useRecoveryCode(db, user.id, recoveryHash(bare));
    if (!isUsed) throw new ApiError('code_incorrect');
    await undo();
  }

  /** Makes a new secret for a user. @returns it, and sealed for its row */
  offer(user: UserSecrets): { offered: OfferedTotp; sealed: Buffer } {
    const secret = new Secret({ buffer: new Uint8Array(randomBytes(SECRET_BYTES)).buffer });
    const offered = { secret: secret.base32, uri: totpOf(secret.base32, user.email).toString() };
    return { offered, sealed: this.sealer.seal(secret.base32, totpRow(user.id)) };
  }

  /** The step of the code that confirms an offered secret. @throws ApiError second_factor_missing, code_incorrect */
  async confirm(user: UserSecrets, code: string): Promise<{ sealed: Buffer; step: number }> {
    // An offer that was sealed with a removed key cannot be opened: it is made again.
    const secret = user.sealedNewTotp && this.sealer.tryOpen(user.sealedNewTotp, totpRow(user.id));
    if (!user.sealedNewTotp || !secret) throw new ApiError('second_factor_missing');
    const undo = await this.attempts.countCode(user.id);
    const step = stepOf(secret, code.replaceAll(/\s/g, ''));
    if (step === undefined) throw new ApiError('code_incorrect');
    await undo();
    return { sealed: user.sealedNewTotp, step };
  }

  /** A secret that cannot be opened accepts no code: its user signs in with a recovery code. */
  private async useCode(db: EntityManager, id: string, sealed: Buffer, code: string): Promise<boolean> {
    const secret = this.sealer.tryOpen(sealed, totpRow(id));
    if (secret === undefined) this.logger.error({ table: 'app_user', id }, 'secret.unreadable');
    const step = secret === undefined ? undefined : stepOf(secret, code);
    return step !== undefined && useTotpStep(db, id, step);
  }
}

/** Makes recovery codes, each of 80 random bits, with their hashes. */
export function newRecoveryCodes(): { codes: string[]; hashes: Buffer[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, () => {
    const text = new Secret({
      buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer,
    }).base32.toLowerCase();
    return text.replace(/(.{4})(?=.)/g, '$1-');
  });
  return { codes, hashes: codes.map((code) => recoveryHash(code.replaceAll('-', ''))) };
}

function recoveryHash(code: string): Buffer {
  return hash('sha256', code, 'buffer');
}

/** The time step of a code that is valid now, one step early or one late; undefined for any other code. */
function stepOf(secret: string, code: string): number | undefined {
  const [totp, timestamp] = [totpOf(secret, ''), Date.now()];
  const delta = totp.validate({ token: code, window: 1, timestamp });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: ISSUER, label: label || ISSUER, secret: Secret.fromBase32(secret) });
}
