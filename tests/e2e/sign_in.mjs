// Signs in at a real OpenID provider, as a browser would, and tries what must not work. Usage: sign_in.mjs RECOUNT
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { startProvider } from "./provider.mjs";

const recount = process.argv[2];
const check = (is, what) => {
  if (!is) throw new Error(what);
};

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/// A browser's cookies, kept for each host and port, and requests that follow nothing by themselves.
class Jar {
  cookies = new Map();

  async fetch(url, init = {}) {
    const { host } = new URL(url);
    const mine = this.cookies.get(host) ?? new Map();
    this.cookies.set(host, mine);
    const cookie = [...mine].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { redirect: "manual", ...init, headers: { "sec-fetch-site": "same-origin", ...init.headers, cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [pair, ...rest] = line.split("; ");
      const at = pair.indexOf("=");
      const gone = rest.some((part) => /^max-age=0$/i.test(part) || /^expires=Thu, 01 Jan 1970/i.test(part));
      if (gone) mine.delete(pair.slice(0, at));
      else mine.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return answer;
  }

  next(answer, from) {
    return new URL(answer.headers.get("location"), from).href;
  }
}

/// Goes to the provider and signs in there as `name`; gives the address that the provider leads back to.
async function throughProvider(jar, ui, name) {
  let at = `${ui}/login/provider?next=/settings`;
  let answer = await jar.fetch(at);
  check(answer.status === 303, `/login/provider answers ${answer.status}`);
  at = jar.next(answer, at);
  const asked = new URL(at).searchParams;
  check(asked.get("code_challenge_method") === "S256" && asked.get("nonce") && asked.get("state"), `asked without PKCE: ${at}`);
  for (let step = 0; step < 20; step += 1) {
    if (at.startsWith(`${ui}/login/callback`)) return at;
    answer = await jar.fetch(at);
    if (answer.status >= 300 && answer.status < 400) {
      at = jar.next(answer, at);
      continue;
    }
    const page = await answer.text();
    const action = page.match(/action="([^"]+)"/)?.[1];
    check(action, `the provider shows ${answer.status} at ${at}: ${page.replace(/<style[^]*<\/style>/, "").slice(0, 800)}`);
    const prompt = page.match(/name="prompt" value="([^"]+)"/)[1];
    const body = new URLSearchParams({ prompt, login: name, password: "any" });
    answer = await jar.fetch(new URL(action, at).href, { method: "POST", body });
    at = jar.next(answer, at);
  }
  throw new Error("the provider does not lead back");
}

async function start(dir, config, port) {
  const more = ["--config", config, "--data-dir", dir, "--listen", `127.0.0.1:${port}`, "--otlp-grpc", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0"];
  const server = spawn(recount, ["serve", ...more], { stdio: ["ignore", "pipe", "ignore"] });
  await new Promise((resolve, reject) => {
    let said = "";
    server.stdout.on("data", (bytes) => {
      said += bytes;
      if (said.includes("\nready ") || said.startsWith("ready ")) resolve();
    });
    server.on("exit", (code) => reject(new Error(`recount ended with ${code}`)));
  });
  return server;
}

async function once(work, method, secret) {
  const port = await freePort();
  const ui = `http://127.0.0.1:${port}`;
  const people = new Map([["ada", ["staff", "ops"]], ["bob", ["staff"]]]);
  const provider = await startProvider({ method, redirect: `${ui}/login/callback`, secret, people });
  const dir = path.join(work, method);
  const config = path.join(work, `${method}.toml`);
  const secretFile = path.join(work, "client_secret");
  writeFileSync(secretFile, `${secret}\n`);
  const lines = [
    "[oidc]", `issuer = "${provider.issuer}"`, 'client_id = "recount"', `public_url = "${ui}"`,
    ...(secret ? [`client_secret_file = "${secretFile}"`] : []),
    "[oidc.roles]", 'ops = ["operator@*", "auditor@*"]', 'guests = ["viewer@shop"]',
  ];
  writeFileSync(config, lines.join("\n"));
  const server = await start(dir, config, port);
  try {
    const login = await (await fetch(`${ui}/login`)).text();
    check(login.includes("Sign in with your organisation"), "the page does not offer the provider");
    check((await fetch(`${ui}/runs`)).status === 401, "a house with a provider is open");

    // There and back, and the way goes on where it was meant to.
    const ada = new Jar();
    const back = await throughProvider(ada, ui, "ada");
    const entered = await ada.fetch(back);
    check(entered.status === 303 && ada.next(entered, ui) === `${ui}/settings`, `sign-in answers ${entered.status}`);
    check(provider.verifiers === 1, "no token was asked for");
    const settings = await (await ada.fetch(`${ui}/settings`)).text();
    check(settings.includes("ada") && settings.includes("operator@*") && settings.includes("auditor@*"), "the groups gave no roles");
    check((await ada.fetch(`${ui}/runs`)).status === 200, "a signed-in operator sees no runs");

    // The same code again, and a question that another browser asked.
    check((await ada.fetch(back)).status === 401, "an answer counts twice");
    const other = new Jar();
    const stolen = await throughProvider(ada, ui, "ada");
    check((await other.fetch(stolen)).status === 401, "an answer counts in another browser");
    const state = new URL(await throughProvider(ada, ui, "ada"));
    state.searchParams.set("state", "made-up");
    check((await ada.fetch(state.href)).status === 401, "any state is taken");
    const code = new URL(await throughProvider(ada, ui, "ada"));
    code.searchParams.set("code", "made-up");
    check((await ada.fetch(code.href)).status === 401, "any code is taken");

    // Tokens that the provider's key signed, and that are not for us, not for this question, not of now.
    const now = Math.floor(Date.now() / 1000);
    const lies = {
      "another nonce": (claims, header) => ({ claims: { ...claims, nonce: "another" }, header }),
      "no nonce": ({ nonce: _gone, ...claims }, header) => ({ claims, header }),
      "another audience": (claims, header) => ({ claims: { ...claims, aud: "another" }, header }),
      "another issuer": (claims, header) => ({ claims: { ...claims, iss: "http://127.0.0.1:1" }, header }),
      "an expired token": (claims, header) => ({ claims: { ...claims, iat: now - 7200, exp: now - 3600 }, header }),
      "a token of tomorrow": (claims, header) => ({ claims: { ...claims, iat: now + 86400, exp: now + 90000 }, header }),
      "an unknown key": (claims, header) => ({ claims, header: { ...header, kid: "another" } }),
    };
    for (const [what, lie] of Object.entries(lies)) {
      const jar = new Jar();
      provider.lie = lie;
      const answer = await jar.fetch(await throughProvider(jar, ui, "ada"));
      provider.lie = null;
      check(answer.status === 401, `${what} is believed: ${answer.status}`);
      check((await jar.fetch(`${ui}/runs`)).status === 401, `${what} gives a session`);
    }

    // Somebody of no group, and a group that is taken away: sessions from before may nothing any more.
    const bob = new Jar();
    check((await bob.fetch(await throughProvider(bob, ui, "bob"))).status === 403, "somebody of no group comes in");
    people.set("ada", ["staff"]);
    const again = new Jar();
    check((await again.fetch(await throughProvider(again, ui, "ada"))).status === 403, "a group that is gone still counts");
    check((await ada.fetch(`${ui}/runs`)).status === 403, "a session from before keeps its rights");
    people.set("ada", ["guests"]);
    const guest = new Jar();
    check((await guest.fetch(await throughProvider(guest, ui, "ada"))).status === 303, "other groups do not count");
    check((await guest.fetch(`${ui}/activity`)).status === 403, "a guest keeps the auditor's role");
    check((await guest.fetch(`${ui}/runs`)).status === 200, "a guest sees no runs");

    // Who tried and was not let in is recorded.
    people.set("ada", ["ops"]);
    const auditor = new Jar();
    await auditor.fetch(await throughProvider(auditor, ui, "ada"));
    const deadline = Date.now() + 30000;
    for (;;) {
      const refused = await (await auditor.fetch(`${ui}/api/v1/activity?kind=refused&limit=500`)).json();
      const who = refused.activity.map((entry) => entry.who);
      if (who.includes("bob") && who.filter((name) => name === "somebody from the provider").length >= Object.keys(lies).length) break;
      check(Date.now() < deadline, `refused tries are not recorded: ${who}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    console.log(`ok: sign-in at a provider, ${method}${secret ? " with a secret" : ""}`);
  } finally {
    server.kill("SIGTERM");
    await new Promise((resolve) => server.once("close", resolve));
    provider.close();
  }
}

const work = mkdtempSync(path.join(os.tmpdir(), "recount-sign-in-"));
try {
  await once(work, "RS256", "a secret of the client");
  await once(work, "ES256", "");
} finally {
  rmSync(work, { recursive: true, force: true });
}
