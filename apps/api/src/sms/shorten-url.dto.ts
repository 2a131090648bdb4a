import { MAX_SHORT_LINKS } from '@signalbox/domain/limits';
import { isLinkTarget } from '@signalbox/domain/links/link-target';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsString, ValidateBy } from 'class-validator';

/** Targets of the short links in a text. */
export class ShortenUrlData {
  @ApiProperty({ description: '`false` inserts the target addresses themselves.' })
  @IsBoolean()
  shortenUrl!: boolean;

  @ApiProperty({
    type: [String],
    example: ['https://example.com/orders/42'],
    description: 'Target addresses, http or https, at most 10.',
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_SHORT_LINKS)
  @IsString({ each: true })
  @ValidateBy(
    {
      name: 'isLinkTarget',
      validator: { validate: (value) => typeof value === 'string' && isLinkTarget(value) },
    },
    {
      each: true,
      message:
        'must be an http or https address of a public host, of at most 2048 characters, without user name and password',
    },
  )
  targetUrl!: string[];
}
