/** Who followed a short link: a person; a program that reads pages; or something that looks ahead of a person who may never tap. */
export type ClickKind = 'person' | 'bot' | 'prefetch';

/** What a request tells of who makes it. */
export interface ClickSigns {
  method: string;
  userAgent: string | undefined;
  /** The headers Sec-Purpose, Purpose and X-Moz, whichever there is. */
  purpose: string | undefined;
}

/** Programs that fetch the links of a message to show what is behind them. */
const PREVIEWS =
  /facebookexternalhit|facebot|whatsapp|telegrambot|twitterbot|slackbot|slack-imgproxy|discordbot|linkedinbot|skypeuripreview|microsoftpreview|google-pagerenderer|googlemessages|bitlybot|embedly|iframely|redditbot|line-poker|pinterestbot|applebot-preview/i;

/** Crawlers, scanners, monitors, and libraries that people do not browse with; a Cubot is a telephone. */
const BOTS =
  /(?<!cu)bot(?![a-z])|crawl|spider|slurp|scan|monitor|probe|check|fetch|preview|archiver|headless|phantom|puppeteer|playwright|selenium|lighthouse|curl|wget|httpie|python|aiohttp|httpx|go-http-client|java\/|okhttp|apache-httpclient|node|axios|undici|libwww|perl|ruby|php|postman|insomnia|virustotal|barracuda|proofpoint|mimecast|safelinks|symantec|zscaler|duckduckgo-favicons|ia_archiver/i;

/** Tells who followed a link, as far as a request gives it away. Browsers look like people: what cannot be told apart counts as one. */
export function clickKind({ method, userAgent, purpose }: ClickSigns): ClickKind {
  if (method === 'HEAD' || (purpose !== undefined && /prefetch|prerender|preview/i.test(purpose)))
    return 'prefetch';
  if (userAgent === undefined || userAgent === '') return 'bot';
  if (PREVIEWS.test(userAgent)) return 'prefetch';
  return BOTS.test(userAgent) ? 'bot' : 'person';
}
