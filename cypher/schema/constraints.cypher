// Constraints and indexes, one statement a line.
// Parameters: none.
// Uses: no look-up.
CREATE CONSTRAINT node_id IF NOT EXISTS FOR (n:Node) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT head_key IF NOT EXISTS FOR (h:Head) REQUIRE h.key IS UNIQUE;
CREATE CONSTRAINT repository_key IF NOT EXISTS FOR (p:Repository) REQUIRE p.key IS UNIQUE;
CREATE CONSTRAINT commit_k IF NOT EXISTS FOR (c:Commit) REQUIRE c.k IS UNIQUE;
CREATE CONSTRAINT site_id IF NOT EXISTS FOR (x:Site) REQUIRE x.id IS UNIQUE;
CREATE CONSTRAINT justification_uid IF NOT EXISTS FOR (j:Justification) REQUIRE j.uid IS UNIQUE;
CREATE CONSTRAINT name_key IF NOT EXISTS FOR (n:Name) REQUIRE n.key IS UNIQUE;
CREATE INDEX justification_id IF NOT EXISTS FOR (j:Justification) ON (j.id);
CREATE INDEX record_tenant IF NOT EXISTS FOR (r:Record) ON (r.tenant, r.k_from);
CREATE INDEX record_key IF NOT EXISTS FOR (r:Record) ON (r.about);
CREATE INDEX node_home IF NOT EXISTS FOR (n:Node) ON (n.home);
CREATE INDEX commit_tenant IF NOT EXISTS FOR (c:Commit) ON (c.tenant, c.at);
CREATE FULLTEXT INDEX record_text IF NOT EXISTS FOR (r:Record) ON EACH [r.words, r.context_words, r.tenant_word] OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};
CREATE INDEX site_home IF NOT EXISTS FOR (x:Site) ON (x.home);
CREATE INDEX repository_tenant IF NOT EXISTS FOR (p:Repository) ON (p.tenant);
CREATE INDEX justification_tenant IF NOT EXISTS FOR (j:Justification) ON (j.tenant, j.k_from);
CREATE INDEX entity_tenant IF NOT EXISTS FOR (n:Entity) ON (n.tenant, n.k_from);
CREATE INDEX site_tenant IF NOT EXISTS FOR (x:Site) ON (x.tenant);
CREATE CONSTRAINT memory_one IF NOT EXISTS FOR (m:Memory) REQUIRE m.one IS UNIQUE;
