import 'reflect-metadata';
import { IsIn, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { NationalNumbers } from '../../national-numbers.ts';
import { Nested, NestedList } from '../../nested.ts';
import { IsIntBetween } from '../../is-int-between.ts';

/** Type of number and numbering plan of an address (SMPP 3.4, section 5.2.5 and 5.2.6). */
export class TonNpi {
  @IsIntBetween(0, 7)
  ton: number = 1;

  @IsIntBetween(0, 18)
  npi: number = 1;
}

/** Values that a TLV can carry. */
const TLV_SOURCES = ['dlt.entityId', 'dlt.templateId', 'messageId', 'sender', 'recipient', 'type'] as const;

/** An optional parameter of every segment. One whose message has no value for it is left out. */
export class TlvSetting {
  @IsIntBetween(0, 0xffff)
  tag!: number;

  /** `cstring` ends with a NUL, `octets` does not, `int` is big-endian. */
  @IsIn(['cstring', 'octets', 'int'])
  type: 'cstring' | 'octets' | 'int' = 'cstring';

  /** Octets of an `int`. */
  @IsIn([1, 2, 4])
  size: 1 | 2 | 4 = 1;

  @IsOptional()
  @IsIn(TLV_SOURCES)
  from?: (typeof TLV_SOURCES)[number];

  /** A constant instead of `from`. */
  @IsOptional()
  @IsString()
  @MaxLength(254)
  value?: string;
}

const tonNpi = (ton: number, npi: number): TonNpi => Object.assign(new TonNpi(), { ton, npi });

/** Encoding of texts and addresses for one SMSC. */
export class EncodingSettings {
  /** Alphabet that the SMSC reads where `data_coding` is `gsmCoding`. */
  @IsIn(['gsm', 'latin1', 'ascii'])
  defaultAlphabet: 'gsm' | 'latin1' | 'ascii' = 'gsm';

  /** `data_coding` of a text that is not UCS-2. */
  @IsIn([0, 1])
  gsmCoding: 0 | 1 = 0;

  /** Marks texts that are displayed immediately: classes of `data_coding`, 0xF0, or the TLV dest_addr_subunit. */
  @IsIn(['class', 'f0', 'subunit'])
  flash: 'class' | 'f0' | 'subunit' = 'class';

  /** Form of a text with several segments. */
  @IsIn(['udh8', 'udh16', 'sar', 'payload'])
  longMessages: 'udh8' | 'udh16' | 'sar' | 'payload' = 'udh8';

  /** Form of `validity_period`; `none` leaves it to the SMSC. */
  @IsIn(['absolute', 'relative', 'none'])
  validity: 'absolute' | 'relative' | 'none' = 'absolute';

  @IsIn([0, 1, 2, 3, 0x11])
  registeredDelivery: number = 1;

  /** Messaging mode in `esm_class`; 3 is store and forward. */
  @IsIn([0, 3])
  messagingMode: 0 | 3 = 0;

  @IsString()
  @MaxLength(5)
  serviceType: string = '';

  @Nested(() => TonNpi)
  alphanumericSender: TonNpi = tonNpi(5, 0);

  @Nested(() => TonNpi)
  internationalSender: TonNpi = tonNpi(1, 1);

  @Nested(() => TonNpi)
  shortSender: TonNpi = tonNpi(3, 0);

  /** Most digits of a short code; a longer number is an international one. */
  @IsIntBetween(0, 15)
  shortSenderDigits: number = 6;

  @Nested(() => TonNpi)
  destination: TonNpi = tonNpi(1, 1);

  /** Stands before the digits of a recipient. */
  @Matches(/^(\+|\d{0,4})$/, { message: 'destinationPrefix must be empty, "+" or at most 4 digits' })
  destinationPrefix: string = '';

  /** Numbers of inbound messages with exactly these digits get the country code. */
  @IsOptional()
  @Nested(() => NationalNumbers)
  national?: NationalNumbers;

  /** Form of the TLVs 0x1400 and 0x1401 with the DLT ids of India. */
  @IsIn(['cstring', 'octets', 'none'])
  dltTlvs: 'cstring' | 'octets' | 'none' = 'cstring';

  @NestedList(() => TlvSetting, { max: 20 })
  tlvs: TlvSetting[] = [];
}
