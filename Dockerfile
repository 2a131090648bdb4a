# One image for every app; the command of each service chooses the app (docker-compose.yml).
FROM node:24-slim AS build
WORKDIR /app
ENV CI=true
COPY . .
RUN node tools/bootstrap.mjs build
# Keep only production dependencies: no compilers, no test tools, no embedded Postgres.
RUN find . -name node_modules -prune -exec rm -rf {} + \
 && npx -y "$(node -p 'require("./package.json").packageManager')" install --prod --no-optional --frozen-lockfile

FROM node:24-slim
WORKDIR /app
# A small young generation keeps an api under load below 250 MB, for a little more garbage collection.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 NODE_OPTIONS=--max-semi-space-size=8
COPY --from=build /app .
# The command line: docker compose run --rm api signalbox doctor
RUN printf '#!/bin/sh\nexec env SIGNALBOX_PROGRAM=signalbox node /app/tools/cli/main.ts "$@"\n' > /usr/local/bin/signalbox \
 && chmod 755 /usr/local/bin/signalbox
# The volume of uploaded files takes its owner from this folder.
RUN install --directory --owner=node --group=node --mode=750 /media
USER node
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "apps/api/dist/main.js"]
