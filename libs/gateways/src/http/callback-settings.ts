import { IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { NationalNumbers } from '../national-numbers.ts';
import { IsErrCodeMap, IsPath, IsSettings, IsTextList, IsTextMap, IsWordMap } from './rules.ts';

const DECODINGS = ['auto', 'query', 'form', 'json'] as const;
const STATUSES = ['SENT', 'DELIVERED', 'READ', 'FAILED', 'IGNORED'] as const;

/** Delivery reports within a callback. Paths are read in an entry, then in the objects around it, then in the query. */
export class ReportSettings {
  /** Path to the entries, such as results[*]; by default the callback is one entry. */
  @IsOptional()
  @IsPath()
  list?: string;

  /** Our id; by default that of {reportUrl}. */
  @IsOptional()
  @IsPath()
  messageId?: string;

  /** The gateway's id, where it carries none of ours. */
  @IsOptional()
  @IsPath()
  gatewayMessageId?: string;

  @IsOptional()
  @IsPath()
  recipient?: string;

  /** An entry without this value is no report. */
  @IsPath()
  status!: string;

  /** Our statuses by the gateway's, in any case. */
  @IsWordMap(STATUSES)
  statuses!: Record<string, (typeof STATUSES)[number]>;

  @IsOptional()
  @IsPath()
  errorCode?: string;

  /** Pattern whose first group is the code within `errorCode`. */
  @IsOptional()
  @IsString()
  @MaxLength(200)
  errorPattern?: string;

  @IsOptional()
  @IsPath()
  description?: string;

  /**
   * Pattern whose first group is the words within `description`; without a match the status and its errCode are
   * described.
   */
  @IsOptional()
  @IsString()
  @MaxLength(200)
  descriptionPattern?: string;

  @IsOptional()
  @IsPath()
  reportedAt?: string;

  /** errCodes by the gateway's status, for failures without a known code. */
  @IsOptional()
  @IsErrCodeMap()
  statusErrors?: Record<string, string>;

  /** errCodes by the gateway's code; they win over those of the preset. */
  @IsOptional()
  @IsErrCodeMap()
  errors?: Record<string, string>;

  /** Paths of further values to keep, such as the price. */
  @IsOptional()
  @IsTextMap('paths by the name of the value')
  details?: Record<string, string>;
}

/** Inbound messages within a callback. */
export class InboundSettings {
  @IsOptional()
  @IsPath()
  list?: string;

  /** The gateway's id of the message; by default a hash of its other values. */
  @IsOptional()
  @IsPath()
  id?: string;

  @IsPath()
  from!: string;

  @IsPath()
  to!: string;

  @IsPath()
  text!: string;

  @IsOptional()
  @IsPath()
  sentAt?: string;

  /** The value that all segments of a message share, where the gateway hands over segments. */
  @IsOptional()
  @IsPath()
  reference?: string;

  /** The place of the segment, counted from 1. */
  @IsOptional()
  @IsPath()
  position?: string;

  /** Numbers of exactly these digits get the country code. */
  @IsSettings(() => NationalNumbers, 'an object with countryCode and digits')
  national?: NationalNumbers;

  /** The count of segments. */
  @IsOptional()
  @IsPath()
  total?: string;
}

/** The response that the gateway wants to a callback. */
export class RespondSettings {
  @IsInt({ message: 'status must be a number from 200 to 299' })
  @Min(200)
  @Max(299)
  status!: number;

  @Matches(/^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/, {
    message: 'contentType must be a media type such as text/xml',
  })
  @MaxLength(100)
  contentType!: string;

  @IsString({ message: 'body must be a text' })
  @MaxLength(1_000)
  body!: string;
}

/** The signature of callbacks. */
export class SignatureSettings {
  /** `url`: the secret is in the address. `hmac` and `hash`: over `parts`. `jwt`: a token with hashes as claims. */
  @IsIn(['url', 'hmac', 'hash', 'jwt'], { message: 'type must be url, hmac, hash or jwt' })
  type!: 'url' | 'hmac' | 'hash' | 'jwt';

  /** Secret that the vendor signs with; callbackSecret by default, which also wins over a token when it is given. */
  @IsOptional()
  @IsIn(['token', 'callbackSecret'], { message: 'secret must be token or callbackSecret' })
  secret?: 'token' | 'callbackSecret';

  @IsOptional()
  @IsIn(['md5', 'sha1', 'sha256', 'sha512'], { message: 'algorithm must be md5, sha1, sha256 or sha512' })
  algorithm?: 'md5' | 'sha1' | 'sha256' | 'sha512';

  @IsOptional()
  @IsIn(['hex', 'base64'], { message: 'encoding must be hex or base64' })
  encoding?: 'hex' | 'base64';

  /**
   * Values that are signed, in order: url, urlWithoutQuery, form, parameters, body, bodySha256, header:<name>,
   * text:<text>.
   */
  @IsOptional()
  @IsTextList('parts such as url, form or body')
  parts?: string[];

  @IsOptional()
  @IsString()
  @MaxLength(100)
  header?: string;

  /** Parameter that has the signature, instead of a header. */
  @IsOptional()
  @IsString()
  @MaxLength(100)
  parameter?: string;

  /** Text before the signature in the header, such as `sha256=`. */
  @IsOptional()
  @IsString()
  @MaxLength(20)
  prefix?: string;

  /** Query parameter with the SHA-256 of a body that is no form. */
  @IsOptional()
  @IsString()
  @MaxLength(100)
  bodyHashParameter?: string;

  /** Claim of the token with the SHA-256 of the URL. */
  @IsOptional()
  @IsString()
  @MaxLength(100)
  urlClaim?: string;

  /** Claim of the token with the SHA-256 of the body. */
  @IsOptional()
  @IsString()
  @MaxLength(100)
  bodyClaim?: string;
}

/** Callbacks of the gateway: reports and inbound messages. */
export class CallbackSettings {
  @IsOptional()
  @IsIn(DECODINGS, { message: `decode must be one of ${DECODINGS.join(', ')}` })
  decode?: (typeof DECODINGS)[number];

  /** Field of the decoded callback that has the content as JSON; a callback without it is its own content. */
  @IsOptional()
  @IsString()
  @MaxLength(100)
  jsonField?: string;

  @IsSettings(() => ReportSettings)
  reports?: ReportSettings;

  @IsSettings(() => InboundSettings)
  inbound?: InboundSettings;

  @IsSettings(() => RespondSettings, 'an object with status, contentType and body')
  respond?: RespondSettings;

  @IsSettings(() => SignatureSettings)
  signature?: SignatureSettings;
}
