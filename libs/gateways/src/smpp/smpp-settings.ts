import 'reflect-metadata';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { ERR_CODES } from '@signalbox/domain/err-codes';
import { Nested, NestedList } from '../nested.ts';
import { IsIntBetween } from '../is-int-between.ts';
import type { StatusRule } from './status-table.ts';
import { EncodingSettings } from './text/encoding-settings.ts';
import { ReceiptSettings } from './text/receipt-settings.ts';

/** TLS towards the server; without it the password travels in the clear. */
export class TlsSettings {
  /** Certificates to trust instead of the system's, in PEM. */
  @IsOptional()
  @IsString()
  @MaxLength(100_000)
  ca?: string;

  /** The name on the certificate; the host by default. */
  @IsOptional()
  @IsString()
  @MaxLength(253)
  servername?: string;

  /** False accepts any certificate, so that anybody on the way can read and change everything. */
  @IsBoolean()
  rejectUnauthorized: boolean = true;
}

/** The consequence of a status, over the one of the table. */
export class StatusSetting implements StatusRule {
  @Matches(/^0x[\da-f]{1,8}$/i, { message: 'status must be hexadecimal, such as 0x0403' })
  status!: string;

  @IsIn(['throttled', 'faulty', 'rejected'])
  outcome!: StatusRule['outcome'];

  @IsOptional()
  @IsIn(Object.keys(ERR_CODES))
  errCode?: string;

  @IsOptional()
  @IsBoolean()
  tryOther?: boolean;
}

/** Settings of a connection to an SMSC by SMPP 3.4. */
export class SmppSettings {
  @Matches(/^([\w.-]{1,253}|[\da-f.]*(:[\da-f.]*){2,7})$/i, {
    message: 'host must be a host name or an IP address, without a scheme or a port',
  })
  host!: string;

  @IsIntBetween(1, 65_535)
  port: number = 2775;

  /** Without it the connection is not encrypted. */
  @IsOptional()
  @ValidateNested()
  @IsObject({
    message:
      'tls is an object: {} to trust the certificates of the system, or with ca, servername or rejectUnauthorized',
  })
  @Type(() => TlsSettings)
  tls?: TlsSettings | null;

  @Matches(/^[\x20-\x7e]{1,15}$/, { message: 'systemId must have 1 to 15 ASCII characters' })
  systemId!: string;

  @Matches(/^[\x20-\x7e]{0,12}$/, { message: 'systemType must have at most 12 ASCII characters' })
  systemType: string = '';

  /** `pair` makes a transmitter and a receiver, for servers without transceivers; both together are one bind. */
  @IsIn(['transceiver', 'pair'])
  bindMode: 'transceiver' | 'pair' = 'transceiver';

  /** Binds of all workers together, as many as the server allows. */
  @IsIntBetween(1, 32)
  binds: number = 1;

  /** Segments that may wait for an answer on one bind. */
  @IsIntBetween(1, 1_000)
  window: number = 10;

  /** Idle time after which enquire_link is sent. */
  @IsIntBetween(5, 300)
  enquireSeconds: number = 20;

  /** Time after which a segment without an answer is unconfirmed. */
  @IsIntBetween(2, 600)
  responseSeconds: number = 60;

  @IsIntBetween(0, 7)
  addressTon: number = 0;

  @IsIntBetween(0, 18)
  addressNpi: number = 0;

  /** Addresses whose messages this bind receives, as the server's documents say. */
  @Matches(/^[\x20-\x7e]{0,40}$/, { message: 'addressRange must have at most 40 ASCII characters' })
  addressRange: string = '';

  /** Asks for overdue messages by query_sm, where the server allows it. */
  @IsBoolean()
  query: boolean = false;

  /** Logs each PDU, without texts and passwords. */
  @IsBoolean()
  trace: boolean = false;

  @NestedList(() => StatusSetting, { max: 200 })
  statuses: StatusSetting[] = [];

  @Nested(() => EncodingSettings)
  encoding: EncodingSettings = new EncodingSettings();

  @Nested(() => ReceiptSettings)
  receipts: ReceiptSettings = new ReceiptSettings();
}
